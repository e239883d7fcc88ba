import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { asStorageFull } from "../capacity/storage-full.ts";
import { tooLarge, unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type ArchiveFormat, writeArchive } from "../git/archive/archive.ts";
import { type BundledRef, writeBundle } from "../git/archive/bundle.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { History } from "../git/history/history.ts";
import type { OpenRepository } from "../git/store/store.ts";
import type { KeptArchive } from "./archive.table.ts";
import { findKeptArchive, keepArchive } from "./internal/kept-archives.ts";

/** Forms of an archive, by the ending of its name. */
export type ArchiveKind = Exclude<ArchiveFormat, "tar"> | "bundle";

/** All that the bytes of an archive come from. */
export interface ArchivePlan {
  readonly kind: ArchiveKind;
  readonly repository: OpenRepository;
  readonly commit: ObjectId;
  /** In which the files lie. */
  readonly folder: string;
  /** Of a bundle. */
  readonly refs: readonly BundledRef[];
  /** The hash of it all. */
  readonly name: string;
}

/** Longer than any request: a later request finds the archive. */
const mostMs = 2 * 60_000;
const pieceBytes = 128 * 1024;

/** Makes an archive in a file and stores it. TooLarge beyond `ARCHIVE_KEPT_BYTES`, Unavailable after two minutes. */
export async function makeArchive(forge: Forge, plan: ArchivePlan): Promise<KeptArchive> {
  const { kind, name, repository } = plan;
  const { repositoryId } = repository.root;
  const tooLate = new AbortController();
  const timer = setTimeout(() => tooLate.abort(tookTooLong()), mostMs);
  const folder = await mkdtemp(join(tmpdir(), "coldforge-archive-"));
  try {
    const path = join(folder, "archive");
    const pieces = within(await piecesOf(plan, tooLate.signal), forge.config.archiveKeptBytes);
    await pipeline(Readable.from(pieces, { objectMode: true }), createWriteStream(path));
    const others = await findKeptArchive(forge, repositoryId, name);
    if (others !== undefined) return others;
    const { size: sizeBytes } = await stat(path);
    return await keepArchive(forge, { repositoryId, name, path, sizeBytes, kind });
  } catch (error) {
    throw asStorageFull(error) ?? error;
  } finally {
    clearTimeout(timer);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const tookTooLong = () => unavailable(`making the archive took more than ${mostMs / 1000} s: clone instead`);

async function piecesOf(plan: ArchivePlan, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const { kind, repository, commit, folder, refs } = plan;
  if (kind === "bundle") return writeBundle(repository, { refs, signal });
  const history = new History(await repository.packs(), { signal, timeMs: mostMs });
  const { tree } = await history.links(commit);
  return writeArchive(history, { tree, commit }, { format: kind, prefix: `${folder}/`, refs: repository });
}

/** The same bytes in pieces large enough for a write each. TooLarge when they are more than `mostBytes`. */
async function* within(pieces: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let [bytes, total] = [0, 0];
  for await (const piece of pieces) {
    gathered.push(piece);
    bytes += piece.length;
    total += piece.length;
    if (total > mostBytes)
      throw tooLarge(`the archive would have more than ${mostBytes} bytes: clone instead`);
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
  }
  yield Buffer.concat(gathered);
}
