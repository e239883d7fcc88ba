import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { badRequest, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { writeArchive } from "../git/archive/archive.ts";
import { type BundledRef, writeBundle } from "../git/archive/bundle.ts";
import { branchPrefix, tagPrefix } from "../git/refs/ref-name.ts";
import { randomId } from "../ids.ts";
import { lazyFor } from "../lazy.ts";
import { asStorageFull } from "../storage-full.ts";
import { absent, any, below, keyText, put, type Table, type TableKey } from "../table.ts";
import { archiveKey, type CachedArchive } from "./archive.table.ts";
import { type Code, getCommit, isEmpty, type NamedCommit } from "./open.ts";

/** Forms of an archive, by what its name ends in. */
export type ArchiveKind = "zip" | "tar.gz" | "bundle";

/** An archive of a commit, ready to be sent. */
export interface Archive {
  readonly commit: NamedCommit;
  readonly kind: ArchiveKind;
  /** As the caller named the commit. */
  readonly ref: string;
  readonly etag: string;
  readonly sizeBytes: number;
  /** Committer date, in seconds. */
  readonly modifiedAt: number;
  read(): AsyncIterable<Uint8Array>;
}

/** Objects under this prefix are archives and may be removed when they are a day old. */
export const archivePrefix = "archives/";
/** An item never names an object that is gone: it ends some hours before. */
const lifeSeconds = 20 * 3600;

/**
 * The archive that a name such as `v1.0.zip` asks for (semantics §37.2): from the bucket where it was made of late, else
 * made now, in the time of a request. Its files lie in a folder named like the repository, small. BadRequest for
 * another form, NotFound for an unknown ref, TooLarge and Unavailable for what is too much for a request.
 */
export async function getArchive(
  forge: Forge,
  code: Code,
  repositoryName: string,
  asked: string,
  signal?: AbortSignal,
): Promise<Archive> {
  const { ref, kind } = splitName(asked);
  if (isEmpty(code)) throw notFound("the repository is empty");
  const commit = await getCommit(code, ref);
  const plan: ArchivePlan = { kind, commit, folder: repositoryName.toLowerCase(), signal };
  const name = nameOf(code, plan);
  const { repositoryId } = code.repository.root;
  const cached = (await findCached(forge, repositoryId, name)) ?? (await buildOnce(forge, code, plan, name));
  const { seconds } = await code.history.links(commit.id);
  const read = () => forge.blobs.stream(cached.objectKey, 0, cached.sizeBytes);
  return {
    commit,
    kind,
    ref,
    etag: name,
    sizeBytes: cached.sizeBytes,
    modifiedAt: Math.max(0, seconds),
    read,
  };
}

function splitName(asked: string): { ref: string; kind: ArchiveKind } {
  const match = /^(.+)\.(zip|tar\.gz|bundle)$/s.exec(asked);
  if (match === null) throw badRequest("name an archive as <ref>.zip, <ref>.tar.gz or <ref>.bundle");
  return { ref: match[1] as string, kind: match[2] as ArchiveKind };
}

interface ArchivePlan {
  readonly kind: ArchiveKind;
  readonly commit: NamedCommit;
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
}

/** Whatever the bytes depend on; a bundle also holds its ref's name. */
function nameOf(code: Code, { kind, commit, folder }: ArchivePlan): string {
  const facts = kind === "bundle" ? bundledRefs(code, commit) : [commit.id, folder];
  return createHash("sha256")
    .update(JSON.stringify([1, kind, facts]))
    .digest("hex")
    .slice(0, 40);
}

async function findCached(
  { table, clock }: Forge,
  repositoryId: number,
  name: string,
): Promise<CachedArchive | undefined> {
  const item = await table.get<CachedArchive>(archiveKey(repositoryId, name));
  return item === undefined || item.ttl * 1000 <= clock.now() ? undefined : item;
}

/** An archive being made, and for whom. */
interface Building {
  readonly signal: AbortSignal | undefined;
  readonly made: Promise<CachedArchive>;
}

/** Archives that this process makes at the moment, by the keys of their items. */
const buildings = lazyFor((_table: Table) => new Map<string, Building>());

/** Whoever asks for what is being made waits for it; where the one it was made for has left, it is made anew. */
async function buildOnce(forge: Forge, code: Code, plan: ArchivePlan, name: string): Promise<CachedArchive> {
  const underWay = buildings(forge.table);
  const key = keyText(archiveKey(code.repository.root.repositoryId, name));
  for (let other = underWay.get(key); other !== undefined; other = underWay.get(key)) {
    try {
      return await other.made;
    } catch (error) {
      plan.signal?.throwIfAborted();
      if (other.signal?.aborted !== true) throw error;
    }
  }
  const made = build(forge, code, plan, name).finally(() => underWay.delete(key));
  underWay.set(key, { signal: plan.signal, made });
  return made;
}

/** Makes the archive in a file, puts it into the bucket and notes it. Of several processes the first one's counts. */
async function build(forge: Forge, code: Code, plan: ArchivePlan, name: string): Promise<CachedArchive> {
  const { repositoryId } = code.repository.root;
  const folder = await mkdtemp(join(tmpdir(), "coldforge-archive-"));
  try {
    const path = join(folder, "archive");
    await pipeline(Readable.from(piecesOf(code, plan), { objectMode: true }), createWriteStream(path));
    const others = await findCached(forge, repositoryId, name);
    const objectKey = `${archivePrefix}${repositoryId}/${randomId()}.${plan.kind}`;
    return others ?? (await store(forge, archiveKey(repositoryId, name), objectKey, path));
  } catch (error) {
    throw asStorageFull(error) ?? error;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Puts an archive away under a name; answers whatever has the name then. */
async function store(
  { blobs, clock, table }: Forge,
  key: TableKey,
  objectKey: string,
  path: string,
): Promise<CachedArchive> {
  await blobs.putFile(objectKey, path);
  const { size: sizeBytes } = await stat(path);
  const now = Math.floor(clock.now() / 1000);
  const item: CachedArchive = { ...key, objectKey, sizeBytes, ttl: now + lifeSeconds, _v: 1 };
  if (await table.write(put(item, any(absent, below({ ttl: now + 1 }))))) return item;
  const first = await table.get<CachedArchive>(key);
  if (first === undefined || first.objectKey === objectKey) return item;
  await blobs.remove([objectKey]);
  return first;
}

function piecesOf(code: Code, { kind, commit, folder, signal }: ArchivePlan): AsyncIterable<Uint8Array> {
  const { history, repository } = code;
  if (kind === "bundle") {
    return writeBundle(repository, { refs: bundledRefs(code, commit), ...(signal && { signal }) });
  }
  return archiveOf();

  async function* archiveOf() {
    const { tree } = await history.links(commit.id);
    const request = { format: kind as "zip" | "tar.gz", prefix: `${folder}/`, snapshot: repository };
    yield* writeArchive(history, { tree, commit: commit.id }, request);
  }
}

/** HEAD, so that a clone has something to check out, and the branch or tag that was named. */
function bundledRefs({ repository: { refs } }: Code, { id, kind, name }: NamedCommit): BundledRef[] {
  const head = { name: "HEAD", id };
  if (kind === "commit") return [head];
  const ref = refs.find(`${kind === "branch" ? branchPrefix : tagPrefix}${name}`);
  return ref === undefined ? [head] : [head, { name: ref.name, id: ref.id }];
}
