import { listMemory, mostListBytes } from "../capacity/list-memory.ts";
import { defined } from "../defined.ts";
import { notFound } from "../errors.ts";
import { readConfig } from "../git/format/config-text.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { canonicalMode, directoryMode, entryName, gitlinkMode, symlinkMode } from "../git/format/tree.ts";
import { lastCommits } from "../git/history/last-commits.ts";
import { readEntries } from "../git/history/read-entries.ts";
import { type FoundEntry, findEntry } from "../git/history/tree-entry.ts";
import { cleanPath, isInsideGit, rawPath, splitPath } from "./internal/path.ts";
import type { Code, NamedCommit } from "./open.ts";

/** The thing at a path. `id` is the blob, the tree, or the commit of a submodule. */
export interface Entry {
  readonly kind: "file" | "dir" | "symlink" | "submodule";
  readonly path: string;
  readonly name: string;
  readonly id: ObjectId;
  /** Bytes; 0 of folders and submodules. */
  readonly size: number;
  /** Of a symlink: its text, at most 1,024 bytes; nothing when it is longer. */
  readonly target?: string;
  /** Of submodules that `.gitmodules` lists. */
  readonly submoduleUrl?: string;
  /** Only of a file that was asked for by itself and is not too large. */
  readonly content?: Buffer;
  /** The newest commit that changed it; absent when finding it would have taken too long. */
  readonly lastCommit?: LastCommit;
}

/** A commit by its id, and when it was committed: whole seconds. */
export interface LastCommit {
  readonly id: ObjectId;
  readonly seconds: number;
}

/** One thing, or what lies in a folder. */
export type Contents =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "folder"; readonly entries: readonly Entry[]; readonly total: number };

/** Files above this are shown without their content (D-BIGBODY). */
export const largestShownFile = 2 ** 20;
/** Files that are shown together have no more content than this (D-BIGBODY). */
export const mostBytesTogether = 4 * 2 ** 20;
/** A content is there as bytes, in base64, in JSON, and in what is sent. */
export const shownContentFactor = 6;
/** How many bytes an entry takes until it is presented, and its row in an answer, both beside its names. */
const [entryBytes, rowBytes] = [1_000, 900];
/** How often the names of a folder are there while it is read. */
const shownNameFactor = 4;
/** How often a row has the path of its entry. */
const pathsInRow = 7;
/** No entry of a tree has fewer bytes. */
const leastEntry = 29;
const mostTargetBytes = 1_024;
/** A path that no system takes. */
const longestLink = 64 * 1024;
const mostGitmodulesBytes = 2 ** 20;

/** The most entries of a folder that are shown at once: more than 4 MB of an answer can hold. */
export const mostShownEntries = 8_000;

/** Which entries of a folder are wanted. */
export interface EntryRange {
  readonly skip: number;
  readonly limit: number;
}

/** The thing at a path of a commit; of a folder at most `mostShownEntries` entries. NotFound when there is nothing. */
export async function readContents(
  code: Code,
  { id }: NamedCommit,
  asked: string,
  { skip, limit }: EntryRange = { skip: 0, limit: mostShownEntries },
): Promise<Contents> {
  const path = cleanPath(asked);
  const found = await findContentsAt(code, id, path);
  if (found === undefined || isInsideGit(path)) throw notFound(`there is no such path [path: ${asked}]`);
  if (found.mode !== directoryMode) {
    const [entry] = await describe(code, id, splitPath(path).folder, [{ ...found, path }]);
    await code.reserve(shownContentFactor * contentBytes(entry as Entry));
    return { kind: "entry", entry: await withContent(code, entry as Entry) };
  }
  const most = Math.min(limit, mostShownEntries);
  await code.reserve(folderMemory(code.history.treeSize(found.id), path, most));
  let total = 0;
  const isShown = () => {
    total += 1;
    return total > skip && total <= skip + most;
  };
  const shown = (await readEntries(code.history, found.id, isShown)).map((entry) => ({
    mode: canonicalMode(entry.mode),
    id: entry.id,
    path: path === "" ? entryName(entry.path) : `${path}/${entryName(entry.path)}`,
    raw: entry.path,
  }));
  return { kind: "folder", entries: await describe(code, id, path, shown), total };
}

/** What a listing of at most so many entries takes. */
function folderMemory(treeBytes: number, path: string, most: number): number {
  const entries = Math.min(most, Math.ceil(treeBytes / leastEntry));
  const names = Math.min(treeBytes, mostListBytes);
  const rows = entries * (rowBytes + pathsInRow * Buffer.byteLength(path)) + pathsInRow * names;
  return entries * entryBytes + shownNameFactor * names + listMemory(rows);
}

/** Several files at once; undefined for paths that are no file. Contents together end at 4 MiB (D-BIGBODY). */
export async function readFiles(
  code: Code,
  { id }: NamedCommit,
  paths: readonly string[],
): Promise<(Entry | undefined)[]> {
  const folders = new Map<string, Map<string, Place>>();
  for (const path of new Set(paths.map(cleanPath))) {
    const found = isInsideGit(path) ? undefined : await findContentsAt(code, id, path);
    if (found === undefined || found.mode === directoryMode) continue;
    const { folder } = splitPath(path);
    folders.set(folder, (folders.get(folder) ?? new Map()).set(path, { ...found, path }));
  }
  const entries = new Map<string, Entry>();
  for (const [folder, places] of folders) {
    const described = await describe(code, id, folder, [...places.values()]);
    for (const entry of described) entries.set(entry.path, entry);
  }
  let left = mostBytesTogether;
  const found = paths.map((path) => {
    const entry = entries.get(cleanPath(path));
    const isShown = entry !== undefined && contentBytes(entry) <= left;
    if (isShown) left -= contentBytes(entry);
    return { entry, isShown };
  });
  await code.reserve(shownContentFactor * (mostBytesTogether - left));
  const shown: (Entry | undefined)[] = [];
  for (const { entry, isShown } of found)
    shown.push(entry !== undefined && isShown ? await withContent(code, entry) : entry);
  return shown;
}

/** The thing at a clean path of a commit. */
export async function findContentsAt(
  code: Code,
  commitId: ObjectId,
  path: string,
): Promise<FoundEntry | undefined> {
  const { tree } = await code.history.links(commitId);
  return findEntry(code.history, tree, rawPath(path));
}

interface Place extends FoundEntry {
  readonly path: string;
  /** The name's bytes, when they are known. */
  readonly raw?: string;
}

/** Everything shown of the entries of one folder, except their contents. */
async function describe(
  code: Code,
  commitId: ObjectId,
  folder: string,
  places: readonly Place[],
): Promise<Entry[]> {
  const { history } = code;
  const rawNames = places.map(({ path, raw }) => raw ?? rawPath(splitPath(path).name));
  const last = await lastCommits(history, commitId, rawPath(folder), { names: rawNames });
  const commits = new Map<string, LastCommit>();
  for (const one of new Set(last?.commits.values() ?? [])) {
    commits.set(one, { id: one, seconds: (await history.links(one)).seconds });
    await history.pace();
  }
  const urls = places.some(({ mode }) => mode === gitlinkMode)
    ? await submoduleUrls(code, commitId)
    : new Map();
  const entries: Entry[] = [];
  for (const [at, { mode, id, path }] of places.entries()) {
    const lastCommit = commits.get(last?.commits.get(rawNames[at] as string) ?? "");
    await history.pace();
    const kind = kindOf(mode);
    const size = kind === "file" || kind === "symlink" ? history.sizeOf(id) : 0;
    const url = kind === "submodule" ? urls.get(path) : undefined;
    entries.push({
      ...{ kind, path, name: splitPath(path).name, id, size },
      ...(kind === "symlink" && size <= longestLink ? { target: await targetOf(code, id) } : {}),
      ...defined({ submoduleUrl: url, lastCommit }),
    });
  }
  return entries;
}

const kindOf = (mode: number): Entry["kind"] => {
  if (mode === directoryMode) return "dir";
  if (mode === symlinkMode) return "symlink";
  return mode === gitlinkMode ? "submodule" : "file";
};

async function targetOf({ history }: Code, id: ObjectId): Promise<string> {
  const { data } = await history.object(id);
  return data.subarray(0, mostTargetBytes).toString("utf8");
}

/** The addresses of submodules by path, from `.gitmodules` of the commit. */
async function submoduleUrls(code: Code, commitId: ObjectId): Promise<Map<string, string>> {
  const found = await findContentsAt(code, commitId, ".gitmodules");
  if (found === undefined || kindOf(found.mode) !== "file") return new Map();
  if (code.history.treeSize(found.id) > mostGitmodulesBytes) return new Map();
  const { data } = await code.history.object(found.id);
  const modules = new Map<string, { path?: string; url?: string }>();
  for (const { section, subsection, key, value } of readConfig(data.toString("utf8"))) {
    if (section !== "submodule" || subsection === undefined || value === undefined) continue;
    if (key !== "path" && key !== "url") continue;
    modules.set(subsection, { ...modules.get(subsection), [key]: value });
  }
  return new Map(
    [...modules.values()].flatMap(({ path, url }) =>
      path === undefined || url === undefined ? [] : [[cleanPath(path), url] as const],
    ),
  );
}

/** Bytes of content that an entry is shown with. */
const contentBytes = ({ kind, size }: Entry): number =>
  kind === "file" && size <= largestShownFile ? size : 0;

async function withContent({ history }: Code, entry: Entry): Promise<Entry> {
  if (contentBytes(entry) === 0) return entry;
  return { ...entry, content: (await history.object(entry.id)).data };
}
