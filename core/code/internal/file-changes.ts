import { manySteps } from "../../concurrency/pacer.ts";
import { badRequest, type ForgeError, notFound, unprocessable } from "../../errors.ts";
import { checkGitmodules } from "../../git/format/check-gitmodules.ts";
import { isDotGit, isDotGitmodules } from "../../git/format/check-path.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import {
  canonicalMode,
  directoryMode,
  entryName,
  executableMode,
  fileMode,
  gitlinkMode,
  symlinkMode,
} from "../../git/format/tree.ts";
import type { History } from "../../git/history/history.ts";
import { readEntries } from "../../git/history/read-entries.ts";
import { type FoundEntry, findEntry } from "../../git/history/tree-entry.ts";
import { cleanPath, rawPath } from "./path.ts";

/** One file to change. */
export interface FileOperation {
  readonly operation: "create" | "update" | "delete";
  readonly path: string;
  readonly content?: Buffer;
  /** The blob that must still be there; not checked when absent. */
  readonly sha?: string;
  /** Of an update: the file's former path. */
  readonly fromPath?: string;
}

/** A file after the change; absent when it is deleted. */
export interface ChangedFile {
  readonly path: string;
  readonly version?: { readonly mode: number; readonly id: ObjectId };
}

/** The kind of refusal for a wrong request: the deletion of one file answers 400 (semantics §36.2). */
export type Refusal = "unprocessable" | "bad-request";

export const refusalOf = (form: Refusal, message: string): ForgeError =>
  form === "bad-request" ? badRequest(message) : unprocessable(message);

const longestPath = 4_096;
/** The most folders above the paths of one request, counted for each path: each may be a tree to write. */
const mostFolders = 30_000;

/** A clean path that may be written. */
export function writablePath(form: Refusal, asked: string): string {
  const path = cleanPath(asked);
  const segments = path.split("/");
  if (path === "") throw refusalOf(form, "[Path]: a path is required");
  if (Buffer.byteLength(path) > longestPath) throw refusalOf(form, `[Path]: MaxSize ${longestPath}`);
  const isRefused = segments.some((segment) => segment.includes("\0") || isDotGit(Buffer.from(segment)));
  if (isRefused) throw refusalOf(form, `[Path]: git takes no such path [path: ${asked}]`);
  return path;
}

/** The edits that some operations make to a tree, each checked against the tree and the operations before it. */
export class FileChanges {
  /** By raw path; undefined takes the file out. */
  readonly edits = new Map<string, { mode: number; id: ObjectId } | undefined>();
  readonly changed: ChangedFile[] = [];
  readonly #history: History;
  readonly #tree: ObjectId | undefined;
  readonly #form: Refusal;
  #folders = 0;

  constructor(history: History, tree: ObjectId | undefined, form: Refusal) {
    this.#history = history;
    this.#tree = tree;
    this.#form = form;
  }

  async apply(operation: FileOperation): Promise<void> {
    const path = writablePath(this.#form, operation.path);
    await this.#history.pace(manySteps);
    if (this.edits.has(rawPath(path))) throw this.#refuse(`${path} is named twice in this request`);
    if (operation.operation === "delete") await this.#remove(path, operation);
    else if (operation.operation === "create") await this.#create(path, operation);
    else await this.#update(path, operation);
  }

  #refuse(message: string): ForgeError {
    return refusalOf(this.#form, message);
  }

  /** The present entry at a clean path. */
  async find(path: string): Promise<FoundEntry | undefined> {
    const raw = rawPath(path);
    if (this.edits.has(raw)) return this.edits.get(raw);
    return this.#tree === undefined ? undefined : findEntry(this.#history, this.#tree, raw);
  }

  async #create(path: string, { content }: FileOperation): Promise<void> {
    await this.#requireRoom(path);
    this.#write(path, fileMode, content);
  }

  async #update(path: string, operation: FileOperation): Promise<void> {
    const from = operation.fromPath === undefined ? path : writablePath(this.#form, operation.fromPath);
    if (this.#tree === undefined) throw this.#refuse("the repository is empty: create the file instead");
    const old = await this.#fileAt(from, operation.sha);
    if (from !== path) {
      await this.#requireRoom(path);
      this.edits.set(rawPath(from), undefined);
    }
    this.#write(path, old.mode === executableMode ? executableMode : fileMode, operation.content);
  }

  async #remove(path: string, { sha }: FileOperation): Promise<void> {
    const found = await this.find(path);
    if (found === undefined || found.mode === directoryMode) {
      throw notFound(`repository file does not exist [path: ${path}]`);
    }
    this.#requireSha(found.id, sha);
    this.edits.set(rawPath(path), undefined);
    this.changed.push({ path });
  }

  /** The plain file that is to be overwritten. */
  async #fileAt(path: string, sha: string | undefined): Promise<FoundEntry> {
    const found = await this.find(path);
    if (found === undefined) throw notFound(`repository file does not exist [path: ${path}]`);
    if (found.mode === directoryMode || found.mode === symlinkMode || found.mode === gitlinkMode) {
      throw this.#refuse(`${path} is no file that can be overwritten`);
    }
    this.#requireSha(found.id, sha);
    return found;
  }

  #requireSha(current: ObjectId, sha: string | undefined): void {
    if (sha === undefined || sha === current) return;
    throw this.#refuse(`sha does not match [given: ${sha}, expected: ${current}]`);
  }

  /** Requires that the path is free, or a folder that these edits empty, and that only folders are above it. */
  async #requireRoom(path: string): Promise<void> {
    const there = await this.find(path);
    if (there !== undefined && !(await this.#isEmptied(path, there)))
      throw this.#refuse(`repository file already exists [path: ${path}]`);
    await this.#requireFolders(rawPath(path));
    const below = `${rawPath(path)}/`;
    for (const [other, version] of this.edits) {
      if (version !== undefined && other.startsWith(below)) throw this.#refuse(`${path} is a folder by then`);
    }
  }

  /** Requires that only folders, or nothing, are above a path: one step down the tree for each. */
  async #requireFolders(raw: string): Promise<void> {
    let tree = this.#tree;
    let start = 0;
    for (let end = raw.indexOf("/"); end !== -1; end = raw.indexOf("/", start)) {
      const parent = raw.slice(0, end);
      const before = tree && (await findEntry(this.#history, tree, raw.slice(start, end)));
      const found = this.edits.has(parent) ? this.edits.get(parent) : before || undefined;
      if (found !== undefined && found.mode !== directoryMode) {
        throw this.#refuse(`${entryName(parent)} is no folder, so nothing can be below it`);
      }
      tree = found?.id;
      start = end + 1;
      await this.#history.pace();
    }
  }

  /** Whether these edits remove a folder, because they remove each of its files. */
  async #isEmptied(folder: string, { mode, id }: FoundEntry): Promise<boolean> {
    if (mode !== directoryMode) return false;
    const stack = [{ path: rawPath(folder), id }];
    let left = this.edits.size + mostFolders;
    for (let open = stack.pop(); open !== undefined; open = stack.pop()) {
      for (const entry of await readEntries(this.#history, open.id)) {
        left -= 1;
        if (left < 0) return false; // folders of empty folders may have no end
        const path = `${open.path}/${entry.path}`;
        if (canonicalMode(entry.mode) === directoryMode) stack.push({ path, id: entry.id });
        else if (!this.edits.has(path) || this.edits.get(path) !== undefined) return false;
      }
    }
    return true;
  }

  /** Removes a file, if there is one. */
  take(path: string): void {
    this.edits.set(rawPath(path), undefined);
  }

  /** Puts a file of a mode at a free path, or in place of another file; answers its blob. */
  async place(path: string, mode: number, content: Buffer, isReplaced: boolean): Promise<ObjectId> {
    await this.#history.pace(manySteps);
    if (!isReplaced) await this.#requireRoom(path);
    return this.#write(path, mode, content);
  }

  #write(path: string, mode: number, content: Buffer = Buffer.alloc(0)): ObjectId {
    if (isDotGitmodules(Buffer.from(path))) {
      const wrong = checkGitmodules(content);
      if (wrong !== undefined) throw this.#refuse(`git would refuse this: ${wrong.message}`);
    }
    this.#folders += path.split("/").length - 1;
    if (this.#folders > mostFolders) {
      throw this.#refuse(`[Path]: the paths of one request may have ${mostFolders} folders above them`);
    }
    const version = { mode, id: this.#history.add("blob", content) };
    this.edits.set(rawPath(path), version);
    this.changed.push({ path, version });
    return version.id;
  }
}
