import { manySteps, Pacer } from "../../../concurrency/pacer.ts";
import type { Config } from "../../../config.ts";
import { unprocessable } from "../../../errors.ts";
import type { Forge } from "../../../forge.ts";
import { addFolders } from "../../../git/format/add-folders.ts";
import type { ObjectId } from "../../../git/format/object-format.ts";
import {
  canonicalMode,
  directoryMode,
  entriesOf,
  gitlinkMode,
  symlinkMode,
  type TreeEntry,
} from "../../../git/format/tree.ts";
import type { History } from "../../../git/history/history.ts";
import { MatchingTooLong, MatchTime } from "../../../pattern/match-time.ts";
import type { FirstFile } from "../../internal/first-commit.ts";
import { readPathPatterns } from "./path-patterns.ts";
import {
  expand,
  expandedLength,
  expandPath,
  pathValues,
  templateVariables,
  type VariableSource,
} from "./template-variables.ts";

/**
 * The most that one request copies, before variables are expanded and afterwards; more would take too long, and too
 * much memory. Paths count as bytes, too.
 */
const most = { files: 10_000, bytes: 64 * 2 ** 20 };
/** A file is there as it was read, expanded, and packed. */
const textFactor = 3;

/** A file below a tree, unread; folders are there until their content is. */
type Found = Pick<TreeEntry, "path" | "mode" | "id">;

/** Every file below a tree, by raw path. 422 when there are too many, or when they are too large together. */
export async function readTemplateFiles(
  forge: Pick<Forge, "reserve">,
  history: History,
  tree: ObjectId,
): Promise<FirstFile[]> {
  const { found, bytes } = await findFiles(history, tree);
  await forge.reserve(textFactor * bytes);
  const files: FirstFile[] = [];
  for (const { path, mode, id } of found) {
    const content = mode === gitlinkMode ? { submodule: id } : (await history.object(id)).data;
    files.push({ path, mode, content });
    await history.pace(manySteps);
  }
  return files;
}

async function findFiles(history: History, tree: ObjectId): Promise<{ found: Found[]; bytes: number }> {
  const found: Found[] = [];
  let bytes = 0;
  const folders = [{ id: tree, path: "" }];
  for (let at = 0; at < folders.length; at += 1) {
    const { id, path } = folders[at] as { id: ObjectId; path: string };
    for (const entry of entriesOf(history.format, await history.tree(id))) {
      const [mode, below] = [canonicalMode(entry.mode), `${path}${entry.path}`];
      bytes += below.length;
      if (mode === directoryMode) folders.push({ id: entry.id, path: `${below}/` });
      else {
        found.push({ path: below, mode, id: entry.id });
        bytes += mode === gitlinkMode ? 0 : history.sizeOf(entry.id);
      }
      if (found.length + folders.length > most.files || bytes > most.bytes) throw tooLarge();
    }
    await history.pace(manySteps);
  }
  return { found, bytes };
}

const tooLarge = () =>
  unprocessable(
    `the template is too large to be copied: at most ${most.files} files with ${most.bytes / 2 ** 20} MiB; fork it instead`,
  );

const listPaths = [".forgejo/template", ".gitea/template"];
const longestExpanded = 2 ** 20;
/** Of a path: as many take about as long as one step of others. */
const stepCharacters = 64;

/**
 * The files with variables expanded, in texts up to 1 MiB and in paths, when one of the lists of patterns names them;
 * the lists themselves are dropped (semantics §41.1).
 */
export async function expandTemplate(
  config: Pick<Config, "rootUrl">,
  files: readonly FirstFile[],
  template: VariableSource,
  made: VariableSource,
  at: Date,
): Promise<FirstFile[]> {
  const lists = files.filter(({ path, content }) => listPaths.includes(path) && !("submodule" in content));
  if (lists.length === 0) return [...files];
  const listed = await listedPaths(files, lists.map(({ content }) => String(content)).join("\n"));
  const expansion = new Expansion(templateVariables(config, template, made, at));
  const expanded: FirstFile[] = [];
  const pacer = new Pacer();
  for (const file of files) {
    if (lists.includes(file)) continue;
    const { path, mode, content } = file;
    const isExpanded = !("submodule" in content) && mode !== symlinkMode && listed.has(path);
    expanded.push(
      isExpanded ? { path: expansion.path(path), mode, content: expansion.content(content) } : file,
    );
    if (pacer.isDue(manySteps)) await pacer.pause();
  }
  return withoutClashes(expanded, files, pacer);
}

/** Expands variables in the files of one template. 422 beyond as many bytes as may be copied. */
class Expansion {
  readonly #inPaths: ReadonlyMap<string, string>;
  /** Bytes of UTF-8 as latin1: contents are handled byte by byte, whatever their encoding. */
  readonly #inContents: ReadonlyMap<string, string>;
  #bytes = 0;

  constructor(values: ReadonlyMap<string, string>) {
    this.#inPaths = pathValues(values);
    const latin1 = (text: string) => Buffer.from(text).toString("latin1");
    this.#inContents = new Map([...values].map(([name, value]) => [name, latin1(value)]));
  }

  path(raw: string): string {
    const text = Buffer.from(raw, "latin1").toString("utf8");
    this.#count(text, this.#inPaths);
    return Buffer.from(expandPath(text, this.#inPaths)).toString("latin1");
  }

  content(content: Buffer): Buffer {
    if (content.length > longestExpanded || content.includes(0)) return content;
    const text = content.toString("latin1");
    this.#count(text, this.#inContents);
    return Buffer.from(expand(text, this.#inContents), "latin1");
  }

  /** Before it is made: a short name may stand for a long description. */
  #count(text: string, values: ReadonlyMap<string, string>): void {
    this.#bytes += expandedLength(text, values);
    if (this.#bytes > most.bytes) throw tooLarge();
  }
}

/** The paths that a list of patterns names. 422 when it takes too long to tell: users write them. */
async function listedPaths(files: readonly FirstFile[], list: string): Promise<ReadonlySet<string>> {
  const [patterns, time] = [readPathPatterns(list), new MatchTime()];
  const listed = new Set<string>();
  try {
    for (const { path } of files) {
      if (await patterns.matches(Buffer.from(path, "latin1").toString("utf8"), time)) listed.add(path);
    }
  } catch (error) {
    if (error instanceof MatchingTooLong) throw unprocessable("the patterns of the template take too long");
    throw error;
  }
  return listed;
}

/** Two paths may become one, or one a folder of the other: then all keep their former names. */
async function withoutClashes(
  expanded: readonly FirstFile[],
  files: readonly FirstFile[],
  pacer: Pacer,
): Promise<FirstFile[]> {
  const paths = new Set(expanded.map(({ path }) => path));
  const folders = new Set<string>();
  for (const path of paths) {
    addFolders(folders, path);
    if (pacer.isDue(1 + path.length / stepCharacters)) await pacer.pause();
  }
  if (paths.size === expanded.length && ![...paths].some((path) => folders.has(path))) return [...expanded];
  const kept = files.filter(({ path }) => !listPaths.includes(path));
  return expanded.map((file, place) => ({ ...file, path: kept[place]?.path ?? file.path }));
}
