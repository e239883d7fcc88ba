import { readFile } from "node:fs/promises";
import type { IngestedPack } from "#core/git/ingest/ingest-types";
import { type PackEntry, type PackFiles, packKey, sideKey } from "#core/git/pack/pack-files";
import { inPieces } from "#tests/git/ingest/taken";

/** Packs in memory, with a count of what was asked. */
export class MemoryPackFiles implements PackFiles {
  readonly objects = new Map<string, Buffer>();
  requests = 0;
  /** Bytes of packs that were asked for. */
  bytes = 0;

  private object(key: string): Buffer {
    this.requests++;
    const bytes = this.objects.get(key);
    if (bytes === undefined) throw new Error(`no object ${key}`);
    return bytes;
  }

  async get(key: string): Promise<Uint8Array> {
    return this.object(key);
  }

  async read(key: string, start: number, endExclusive: number): Promise<Uint8Array> {
    this.bytes += endExclusive - start;
    return this.object(key).subarray(start, endExclusive);
  }

  async *stream(key: string, start: number, endExclusive: number): AsyncGenerator<Uint8Array> {
    this.bytes += endExclusive - start;
    // Odd pieces, so that entries lie across them.
    yield* inPieces(this.object(key).subarray(start, endExclusive), 10_007);
  }

  /** Stores a pack; gives the manifest's entry. */
  put(pack: Buffer, side: Buffer, objects: number): PackEntry {
    const id = `pack-${this.objects.size}-${Math.random()}`;
    const entry = { id, key: `r/1/p/${id}`, packBytes: pack.length, sideBytes: side.length, objects };
    this.objects.set(packKey(entry), pack);
    this.objects.set(sideKey(entry), side);
    return entry;
  }

  /** Stores a pack that was taken in. */
  async store(pack: IngestedPack): Promise<PackEntry> {
    return this.put(await readFile(pack.packPath), pack.side, pack.objectCount);
  }
}
