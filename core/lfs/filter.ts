import { createHash } from "node:crypto";
import { unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type AttributeFolder, AttributeReader } from "../git/archive/attributes.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { canonicalMode, directoryMode } from "../git/format/tree.ts";
import type { History } from "../git/history/history.ts";
import { readEntries } from "../git/history/read-entries.ts";
import { lfsFile } from "./lfs.table.ts";
import { findLfsObjects } from "./lfs.ts";
import { linkUploaded } from "./link.ts";
import { mostLfsBytes } from "./most-bytes.ts";
import { type LfsPointer, lfsPointerFile, readLfsPointer } from "./pointer.ts";
import { openLfsUpload } from "./upload.ts";

/** A folder of the tree; without an id when nothing is there. */
interface Folder {
  readonly id: ObjectId | undefined;
  readonly attributes: AttributeFolder;
}

/**
 * Puts pointers in place of files that a tree's `.gitattributes` give to Git LFS (semantics §36.3), as `git lfs clean`
 * does: an empty file and a pointer stay as they are. The objects are the repository's own once `store` is done.
 */
export class LfsFilter {
  readonly #forge: Forge;
  readonly #history: History;
  readonly #tree: ObjectId | undefined;
  readonly #attributes: AttributeReader;
  /** Folders by raw path, which ends with a slash; empty for the root. */
  readonly #folders = new Map<string, Promise<Folder>>();
  readonly #contents = new Map<string, Buffer>();

  /** Without a tree, as in an empty repository, nothing is filtered. */
  constructor(forge: Forge, history: History, tree: ObjectId | undefined) {
    this.#forge = forge;
    this.#history = history;
    this.#tree = forge.config.lfsStartServer ? tree : undefined;
    this.#attributes = new AttributeReader(history, { obeyed: ["filter"] });
  }

  /** The bytes that git keeps of a file: its content, or a pointer. 422 for an object larger than `LFS_MAX_FILE_SIZE`. */
  async clean(rawPath: string, content: Buffer): Promise<Buffer> {
    if (content.length === 0 || !(await this.#isFiltered(rawPath))) return content;
    if (readLfsPointer(content) !== undefined) return content;
    const most = mostLfsBytes(this.#forge.config);
    if (content.length > most) throw unprocessable(`an object of Git LFS may have at most ${most} bytes`);
    const oid = createHash("sha256").update(content).digest("hex");
    this.#contents.set(oid, content);
    return lfsPointerFile({ oid, sizeBytes: content.length });
  }

  /** Gives the repository the objects that it lacks: before anything that names them. */
  async store(repositoryId: number): Promise<void> {
    if (this.#contents.size === 0) return;
    const known = await findLfsObjects(this.#forge, repositoryId, [...this.#contents.keys()]);
    const missing = [...this.#contents].filter(([oid]) => !known.has(oid));
    if (missing.length === 0) return;
    const uploadId = await openLfsUpload(this.#forge, repositoryId);
    for (const [oid, content] of missing) {
      const pointer: LfsPointer = { oid, sizeBytes: content.length };
      await this.#forge.blobs.put(lfsFile({ oid, uploadId }), content);
      await linkUploaded(this.#forge, repositoryId, { ...pointer, uploadId });
    }
  }

  async #isFiltered(rawPath: string): Promise<boolean> {
    if (this.#tree === undefined) return false;
    const { attributes } = await this.#folder(rawPath.slice(0, rawPath.lastIndexOf("/") + 1));
    if (attributes.levels.length === 0) return false;
    return (await this.#attributes.of(attributes, rawPath, false)).get("filter") === "lfs";
  }

  #folder(path: string): Promise<Folder> {
    const known = this.#folders.get(path) ?? this.#enter(path);
    this.#folders.set(path, known);
    return known;
  }

  async #enter(path: string): Promise<Folder> {
    if (path === "") return this.#opened(path, this.#tree, undefined);
    const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1, -1);
    const above = await this.#folder(path.slice(0, path.length - name.length - 1));
    const entries = above.id === undefined ? [] : await readEntries(this.#history, above.id);
    const own = entries.find((entry) => entry.path === name && canonicalMode(entry.mode) === directoryMode);
    return this.#opened(path, own?.id, above.attributes);
  }

  async #opened(path: string, id: ObjectId | undefined, above: AttributeFolder | undefined): Promise<Folder> {
    const entries = id === undefined ? [] : await readEntries(this.#history, id);
    return { id, attributes: await this.#attributes.enter(path, entries, above) };
  }
}
