import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Log } from "#core/log";
import { syncFolder } from "../durable-file.ts";

/** The parts of a journal: its records are folded into a state that can be written down again in short. */
export interface JournalOptions<T> {
  path: string;
  /** Folds one record into the state. Called in order, while reading and after each durable append. */
  apply: (record: T) => void;
  /** The records that bring about the present state. */
  snapshot: () => Iterable<T>;
  /** The journal is rewritten when it is larger than this and than four times the last snapshot. */
  compactAboveBytes: number;
  log: Log;
}

interface Waiting<T> {
  records: readonly T[];
  done: () => void;
  fail: (error: unknown) => void;
}

/**
 * An append-only file of JSON lines. An append returns once it is on the disk and applied; appends that come while
 * the disk is busy share the next write. An append that fails leaves nothing behind. Half a line at the end, which a
 * crash leaves, is cut off.
 */
export class Journal<T> {
  readonly #options: JournalOptions<T>;
  #file: FileHandle;
  #sizeBytes: number;
  #snapshotBytes: number;
  #waiting: Waiting<T>[] = [];
  #flushing: Promise<void> | undefined;
  #broken: unknown;

  private constructor(options: JournalOptions<T>, file: FileHandle, sizeBytes: number) {
    this.#options = options;
    this.#file = file;
    this.#sizeBytes = sizeBytes;
    this.#snapshotBytes = 0;
  }

  /** Reads the journal, or starts one, and rewrites it in short when that pays. */
  static async open<T>(options: JournalOptions<T>): Promise<Journal<T>> {
    const sizeBytes = await readRecords(options);
    const file = await open(options.path, "a", 0o600);
    await file.truncate(sizeBytes);
    await file.sync();
    await syncFolder(dirname(options.path));
    const journal = new Journal(options, file, sizeBytes);
    await journal.#compactIfLarge();
    return journal;
  }

  /** Makes records durable, all or none, and applies them. */
  append(records: readonly T[]): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((done, fail) => {
      this.#waiting.push({ records, done, fail });
      this.#flushing ??= this.#flush();
    });
  }

  /** Waits for appends under way and closes the file. */
  async close(): Promise<void> {
    await this.#flushing;
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch.flatMap(({ records }) => records));
      } catch (error) {
        for (const { fail } of batch) fail(error);
        continue;
      }
      for (const { records, done } of batch) {
        for (const record of records) this.#options.apply(record);
        done();
      }
      await this.#compactIfLarge();
    }
    this.#flushing = undefined; // in the same step as the last look at the waiting records, so that none is overlooked
  }

  async #write(records: readonly T[]): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const bytes = encode(records);
    try {
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
      this.#sizeBytes += bytes.length;
    } catch (error) {
      await this.#file.truncate(this.#sizeBytes).catch((truncateError: unknown) => {
        this.#broken = new Error(`the journal ${this.#options.path} can't be written`, {
          cause: truncateError,
        });
      });
      throw error;
    }
  }

  /** A failure before the new file replaces the old one loses nothing: the old journal goes on. */
  async #compactIfLarge(): Promise<void> {
    const { path, compactAboveBytes, snapshot, log } = this.#options;
    if (this.#sizeBytes < Math.max(compactAboveBytes, 4 * this.#snapshotBytes)) return;
    const draft = `${path}.draft`;
    const old = this.#file;
    try {
      const bytes = encode([...snapshot()]);
      this.#file = await writeDraft(draft, bytes);
      await rename(draft, path);
      this.#sizeBytes = bytes.length;
      this.#snapshotBytes = bytes.length;
    } catch (error) {
      log.error("journal:compact-failed", { path, error });
      if (this.#file !== old) await this.#file.close();
      this.#file = old;
      await rm(draft, { force: true });
      this.#snapshotBytes = this.#sizeBytes; // not again before it has grown a good deal
      return;
    }
    try {
      await old.close();
      await syncFolder(dirname(path));
    } catch (error) {
      this.#broken = new Error(`the journal ${path} can't be written`, { cause: error });
    }
  }
}

async function writeDraft(path: string, bytes: Buffer): Promise<FileHandle> {
  await rm(path, { force: true });
  const file = await open(path, "ax", 0o600);
  try {
    await file.appendFile(bytes);
    await file.sync();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

const encode = (records: readonly unknown[]): Buffer =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));

/** Applies the records of a file and returns how many of its bytes hold whole ones. */
async function readRecords<T>({ path, apply, log }: JournalOptions<T>): Promise<number> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    const record = parse<T>(bytes.toString("utf8", start, end));
    if (record === undefined) break;
    apply(record);
    start = end + 1;
  }
  const rest = bytes.subarray(start);
  // A crash leaves at most a part of the last write, which was not acknowledged. Whole lines after a damaged one may
  // be more than that: they are kept aside for a person to look at.
  if (rest.includes(10)) {
    const aside = `${path}.damaged-${Date.now()}`;
    await writeFile(aside, rest, { mode: 0o600, flush: true });
    log.error("journal:damaged", { path, aside, bytes: rest.length });
  }
  return start;
}

function parse<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined; // damaged; the caller says so
  }
}
