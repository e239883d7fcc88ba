import { createHash, randomUUID } from "node:crypto";
import { renameSync, rmSync, unlinkSync } from "node:fs";
import { type FileHandle, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defined } from "#core/defined";
import type { Log } from "#core/log";
import { isDiskFull, makeDurableFolder, syncFolder } from "../durable-file.ts";
import type { Digest } from "./body.ts";
import { diskFull } from "./error.ts";
import { KeyIndex, type ListedObject } from "./key-index.ts";
import { digestFields, type ObjectRecord, openObjectFile, writeObjectFile } from "./object-file.ts";

/** An object about to be stored. `digest` is called once `chunks` has been read. */
export interface NewObject {
  key: string;
  headers: Record<string, string>;
  chunks: AsyncIterable<Buffer>;
  digest(): Digest;
  /** Instead of the MD5 of the bytes. */
  etag?: string;
}

/**
 * The objects of one bucket as files under `folder`, named after a hash of the key. A put or delete that returned
 * survives a crash; an unfinished one leaves the object as it was.
 */
export class ObjectStore {
  readonly #folder: string;
  readonly #temporary: string;
  readonly #log: Log;
  readonly #isSynced: boolean;
  readonly #index: KeyIndex;

  private constructor(folder: string, temporary: string, log: Log, isSynced: boolean) {
    this.#folder = folder;
    this.#temporary = temporary;
    this.#log = log;
    this.#isSynced = isSynced;
    this.#index = new KeyIndex(() => this.#readAll());
  }

  /** Opens or creates the store, and removes unfinished writes of an earlier run. */
  static async open(folder: string, log: Log, isSynced = true): Promise<ObjectStore> {
    const temporary = join(folder, "unfinished");
    await rm(temporary, { recursive: true, force: true });
    await makeDurableFolder(temporary);
    await makeDurableFolder(join(folder, "objects"));
    return new ObjectStore(join(folder, "objects"), temporary, log, isSynced);
  }

  #pathOf(key: string): string {
    const hash = createHash("sha256").update(key).digest("hex");
    return join(this.#folder, hash.slice(0, 2), hash.slice(2));
  }

  async put(object: NewObject): Promise<ObjectRecord> {
    const draft = join(this.#temporary, randomUUID());
    try {
      const describe = () => ({
        key: object.key,
        modified: Math.floor(Date.now() / 1000) * 1000,
        headers: object.headers,
        ...digestFields(object.digest()),
        ...defined({ etag: object.etag }),
      });
      const record = await writeObjectFile<ObjectRecord>(draft, object.chunks, describe, this.#isSynced);
      const path = this.#pathOf(object.key);
      await (this.#isSynced ? makeDurableFolder(dirname(path)) : mkdir(dirname(path), { recursive: true }));
      // In one step of the event loop, so that of two writes the index and the folder show the same.
      renameSync(draft, path);
      this.#index.store(record);
      if (this.#isSynced) await syncFolder(dirname(path));
      return record;
    } catch (error) {
      rmSync(draft, { force: true });
      throw isDiskFull(error) ? diskFull() : error;
    }
  }

  /** The object's open file (its bytes stand at its beginning) and record. The caller closes the file. */
  async open(key: string): Promise<{ file: FileHandle; record: ObjectRecord } | undefined> {
    return openObjectFile<ObjectRecord>(this.#pathOf(key));
  }

  /** Removes objects; absent ones are no error. */
  async remove(keys: readonly string[]): Promise<void> {
    const folders = new Set<string>();
    for (const key of keys) {
      const path = this.#pathOf(key);
      try {
        unlinkSync(path);
        folders.add(dirname(path));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
      this.#index.remove(key);
    }
    if (this.#isSynced) for (const folder of folders) await syncFolder(folder);
  }

  /** A page of the keys in S3's order: `after` is exclusive, "" from the start. */
  async list(
    prefix: string,
    after: string,
    limit: number,
  ): Promise<{ objects: ListedObject[]; hasMore: boolean }> {
    return this.#index.list(prefix, after, limit);
  }

  async *#readAll(): AsyncIterable<ListedObject> {
    for (const part of await readdir(this.#folder)) {
      const names = await readdir(join(this.#folder, part));
      const found = await Promise.all(names.map((name) => this.#readListed(join(this.#folder, part, name))));
      for (const object of found) if (object) yield object;
    }
  }

  async #readListed(path: string): Promise<ListedObject | undefined> {
    try {
      const opened = await openObjectFile<ObjectRecord>(path);
      if (opened === undefined) return undefined; // removed meanwhile
      await opened.file.close();
      const { key, sizeBytes, etag, modified } = opened.record;
      return { key, sizeBytes, etag, modified };
    } catch (error) {
      this.#log.error("s3:damaged-object", { path, error });
      return undefined;
    }
  }
}
