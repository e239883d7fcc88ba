import { posix } from "node:path";
import type { Actor } from "../actor.ts";
import { networkOf } from "../client-network.ts";
import { invalid, unavailable, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { RenderMode, RenderOptions } from "./render.ts";
import { RenderThread } from "./render-thread.ts";

/** A text to show, and where it is shown. */
export interface Markup {
  readonly text: string;
  readonly mode: RenderMode;
  /** The page that relative links begin from: an address, or a path under the instance's own. */
  readonly context?: string;
  /** The text is a page of a wiki: its links lead to other pages. */
  readonly isWiki?: boolean;
  /** For a file of a repository: its path, and what of the repository it was read from, such as `branch/main`. */
  readonly filePath?: string;
  readonly branchPath?: string;
  /** The repository that references are to; told from the context when absent. */
  readonly repository?: { readonly owner: string; readonly name: string };
}

/** Who wants it: callers take turns, by account and without one by address. */
export interface Viewer {
  readonly actor: Actor | undefined;
  readonly address: string;
  readonly signal?: AbortSignal;
}

const mostCharacters = 2 ** 20;
const mostPathCharacters = 2_000;
/** What an answer may have (D-BIGBODY). */
const mostHtmlBytes = 4 * 2 ** 20;

let thread: RenderThread | undefined;

/**
 * Renders on a thread of this script (the bundled `render-worker.ts`) from now on; undefined ends it. What renders is
 * large, and only the thread loads it.
 */
export async function useRenderScript(script: URL | string | undefined): Promise<void> {
  const old = thread;
  thread = script === undefined ? undefined : new RenderThread(script);
  await old?.close();
}

/**
 * The HTML of a text, safe to show (semantics §28). 422 for a text, path or context over its bound, or one that takes
 * too much.
 */
export async function render(
  forge: Forge,
  markup: Markup,
  { actor, address, signal }: Viewer,
): Promise<string> {
  requireBounds(markup);
  if (markup.text === "") return "";
  if (thread === undefined) throw unavailable("this server does not render texts");
  const options = optionsOf(forge.config.rootUrl, markup);
  const caller = actor === undefined ? networkOf(address) : String(actor.user.id);
  return thread.render({ text: markup.text, options, mostBytes: mostHtmlBytes }, { caller, signal });
}

/** 422 for files that nothing renders. */
export function requireRenderable(filePath: string): void {
  const extension = posix.extname(filePath).toLowerCase();
  if ([".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".livemd"].includes(extension)) return;
  throw unprocessable(
    `unsupported render extension: ${extension}; Markdown files such as README.md are rendered`,
  );
}

function requireBounds({ text, context = "", filePath = "", branchPath = "" }: Markup): void {
  if (text.length > mostCharacters) throw invalid("Text", `MaxSize: at most ${mostCharacters} characters`);
  for (const [field, value] of Object.entries({
    Context: context,
    FilePath: filePath,
    BranchPath: branchPath,
  })) {
    if (value.length > mostPathCharacters)
      throw invalid(field, `MaxSize: at most ${mostPathCharacters} characters`);
  }
}

function optionsOf(rootUrl: string, markup: Markup): RenderOptions {
  const { mode, isWiki = false, filePath = "", branchPath = "" } = markup;
  const base = baseOf(rootUrl, markup);
  const repository = markup.repository ?? repositoryOf(rootUrl, base);
  const folder = posix.dirname(posix.join("/", filePath));
  const under = (kind: string) => posix.join("/", kind, branchPath, folder).replace(/\/$/, "");
  const paths = isWiki
    ? ["/wiki", "/wiki/raw"]
    : branchPath === ""
      ? ["", ""]
      : [under("src"), under("media")];
  const [linkPath, imagePath] = paths;
  const hasReferences = mode === "comment" || (mode === "gfm" && repository !== undefined);
  return {
    mode,
    ...(base === undefined ? {} : { linkBase: base + linkPath, imageBase: base + imagePath }),
    ...(hasReferences
      ? { references: { rootUrl, ...(repository === undefined ? {} : { repository }) } }
      : {}),
  };
}

/** Where relative links begin, without a slash at the end; undefined where nothing was said. */
function baseOf(rootUrl: string, { context = "", repository }: Markup): string | undefined {
  if (context === "") return repository && `${rootUrl}/${repository.owner}/${repository.name}`;
  const base = /^https?:\/\//i.test(context) ? context : `${rootUrl}/${context.replace(/^[/\\]+/, "")}`;
  return base.replace(/\/+$/, "");
}

/** The repository that a page of this instance belongs to. */
function repositoryOf(rootUrl: string, base: string | undefined): Markup["repository"] {
  if (base?.startsWith(`${rootUrl}/`) !== true) return undefined;
  const [owner = "", name = ""] = base.slice(rootUrl.length + 1).split("/");
  return isName(owner) && isName(name) ? { owner, name } : undefined;
}

const isName = (text: string): boolean => /^[A-Za-z0-9_.-]{1,100}$/.test(text);
