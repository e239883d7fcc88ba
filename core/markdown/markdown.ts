import { posix } from "node:path";
import { TaskEnded } from "../compute/task.ts";
import { defined } from "../defined.ts";
import { invalid, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { RenderMode, RenderOptions } from "./internal/render.ts";
import { renderTask } from "./render-task.ts";

/** A text to show, and its place. */
export interface Markup {
  readonly text: string;
  readonly mode: RenderMode;
  /** The page that relative links start from: an address, or a path under the instance's own. */
  readonly context?: string;
  /** The text is a page of a wiki: its links lead to other pages. */
  readonly isWiki?: boolean;
  /** For a file of a repository: its path, and its ref, such as `branch/main`. */
  readonly filePath?: string;
  readonly branchPath?: string;
  /** The repository of its references; absent: the context's. */
  readonly repository?: { readonly owner: string; readonly name: string };
}

const mostCharacters = 2 ** 20;
const mostPathCharacters = 2_000;
/** The largest answer (D-BIGBODY). */
const mostHtmlBytes = 4 * 2 ** 20;

/**
 * The HTML of a text, safe to show (semantics §28). 422 for a text, path or context over its bound, or for a text that
 * takes too much.
 */
export async function renderMarkdown(forge: Forge, markup: Markup): Promise<string> {
  requireBounds(markup);
  if (markup.text === "") return "";
  const options = optionsOf(forge.config.rootUrl, markup);
  const asked = { text: markup.text, options, mostBytes: mostHtmlBytes };
  const { html } = await forge.compute(renderTask, asked).catch(tooHard);
  if (html === undefined) throw unprocessable(`the text becomes more than ${mostHtmlBytes} bytes of HTML`);
  return html;
}

function tooHard(error: unknown): never {
  if (!(error instanceof TaskEnded) || error.reason === "failed") throw error;
  throw unprocessable("the text takes too long or too much memory to render; simplify or shorten it");
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
    ...(hasReferences ? { references: { rootUrl, ...defined({ repository }) } } : {}),
  };
}

/** The start of relative links, without a slash at the end; undefined when nothing was said. */
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
