import { type FileHandle, rm } from "node:fs/promises";

/** The file that a writer's bytes go to. */
export interface SpoolFile {
  readonly path: string;
  readonly file: FileHandle;
  /** Called before bytes are written: throws when they may not be. */
  beforeWrite(bytes: Buffer): void;
}

const firstRoomBytes = 4096;

/**
 * Collects pieces in memory, and in a file once they outgrow it: however small the pieces, they cost no more memory and
 * no more writes.
 */
export class SpoolWriter {
  sizeBytes = 0;
  readonly #roomBytes: number;
  readonly #openFile: () => Promise<SpoolFile>;
  #room = Buffer.alloc(0);
  #filled = 0;
  #spool: SpoolFile | undefined;

  constructor(roomBytes: number, openFile: () => Promise<SpoolFile>) {
    this.#roomBytes = Math.max(roomBytes, firstRoomBytes);
    this.#openFile = openFile;
  }

  async add(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.byteLength; ) {
      if (this.#filled === this.#room.length && !this.#grow(piece.byteLength - at)) await this.#flush();
      const some = piece.subarray(at, at + this.#room.length - this.#filled);
      this.#room.set(some, this.#filled);
      this.#filled += some.byteLength;
      at += some.byteLength;
    }
    this.sizeBytes += piece.byteLength;
  }

  #grow(needed: number): boolean {
    if (this.#room.length === this.#roomBytes) return false;
    const wanted = Math.max(firstRoomBytes, 2 * this.#room.length, this.#filled + needed);
    const room = Buffer.allocUnsafeSlow(Math.min(wanted, this.#roomBytes));
    room.set(this.#room.subarray(0, this.#filled));
    this.#room = room;
    return true;
  }

  async #flush(): Promise<void> {
    this.#spool ??= await this.#openFile();
    const bytes = this.#room.subarray(0, this.#filled);
    this.#spool.beforeWrite(bytes);
    await this.#spool.file.appendFile(bytes);
    this.#filled = 0;
  }

  /** The result: from memory when no file was needed. */
  async finish(): Promise<{ readonly bytes: Buffer } | { readonly path: string }> {
    return this.#spool === undefined ? { bytes: this.#room.subarray(0, this.#filled) } : this.finishFile();
  }

  /** The result in a file, however small. */
  async finishFile(): Promise<{ readonly path: string }> {
    await this.#flush();
    const { file, path } = this.#spool as SpoolFile;
    await file.close();
    return { path };
  }

  /** Removes the file; does nothing when there is none. */
  async abandon(): Promise<void> {
    if (this.#spool === undefined) return;
    await this.#spool.file.close();
    await rm(this.#spool.path, { force: true });
  }
}
