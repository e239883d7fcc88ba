import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { FairQueue } from "../concurrency/fair-queue.ts";
import { MadeOnce } from "../concurrency/made-once.ts";
import { badRequest, isForgeError, notFound, unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { BundledRef } from "../git/archive/bundle.ts";
import { branchPrefix, tagPrefix } from "../git/refs/ref-name.ts";
import { lazyFor } from "../lazy.ts";
import { keyText } from "../table/write.ts";
import type { Table } from "../table.ts";
import { archiveKey, type KeptArchive } from "./archive.table.ts";
import { findKeptArchive } from "./internal/kept-archives.ts";
import { type ArchiveKind, type ArchivePlan, makeArchive } from "./make-archive.ts";
import { type Code, getCommit, isCodeEmpty, type NamedCommit } from "./open.ts";

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

/** The caller of an archive, and what it holds. */
export interface ArchiveRequest {
  /** The repository's name in lower case: the folder of the files. */
  readonly folder: string;
  /** For instance `v1.0.zip`. */
  readonly asked: string;
  /** The queue it waits in (`callerOf`). */
  readonly caller: string;
  readonly signal?: AbortSignal;
}

/**
 * The archive that a name such as `v1.0.zip` asks for (semantics §37.2): from the bucket when it was made recently,
 * else made now, in the caller's queue. BadRequest for another form, NotFound for an unknown ref, TooLarge for what no
 * archive can hold, RateLimited as in `FairQueue`. Unavailable when it takes longer than a request: the work goes on,
 * and a later request finds the archive.
 */
export async function getArchive(
  forge: Forge,
  code: Code,
  { folder, asked, caller, signal }: ArchiveRequest,
): Promise<Archive> {
  const { ref, kind } = splitName(asked);
  if (isCodeEmpty(code)) throw notFound("the repository is empty");
  const commit = await getCommit(code, ref);
  const plan = planOf(code, kind, commit, folder.toLowerCase());
  const found = await findKeptArchive(forge, plan.repository.root.repositoryId, plan.name);
  const { objectKey, sizeBytes } = found ?? (await made(forge, plan, caller, signal));
  const { seconds } = await code.history.links(commit.id);
  const read = () => forge.blobs.stream(objectKey, 0, sizeBytes);
  return { commit, kind, ref, etag: plan.name, sizeBytes, modifiedAt: Math.max(0, seconds), read };
}

function splitName(asked: string): { ref: string; kind: ArchiveKind } {
  const match = /^(.+)\.(zip|tar\.gz|bundle)$/s.exec(asked);
  if (match === null) throw badRequest("name an archive as <ref>.zip, <ref>.tar.gz or <ref>.bundle");
  return { ref: match[1] as string, kind: match[2] as ArchiveKind };
}

function planOf({ repository }: Code, kind: ArchiveKind, commit: NamedCommit, folder: string): ArchivePlan {
  const refs = kind === "bundle" ? bundledRefs(repository, commit) : [];
  const facts = kind === "bundle" ? refs : [commit.id, folder];
  const name = createHash("sha256")
    .update(JSON.stringify([2, kind, facts]))
    .digest("hex")
    .slice(0, 40);
  return { kind, repository, commit: commit.id, folder, refs, name };
}

/** HEAD, so that a clone has something to check out, and the named branch or tag. */
function bundledRefs({ refs }: Code["repository"], { id, kind, name }: NamedCommit): BundledRef[] {
  const head = { name: "HEAD", id };
  if (kind === "commit") return [head];
  const ref = refs.find(`${kind === "branch" ? branchPrefix : tagPrefix}${name}`);
  return ref === undefined ? [head] : [head, { name: ref.name, id: ref.id }];
}

const oneMinuteMs = 60_000;
/** A request waits this long, which leaves it time to say that it gave up. */
const mostWaitMs = 20_000;
const comeBackSeconds = 5;

/** Archives that this process is making, by the keys of their items: about one for each processor. */
const archivesOf = lazyFor((_table: Table) => {
  const atOnce = availableParallelism();
  return new MadeOnce<KeptArchive>(new FairQueue({ atOnce, atOnceEach: 1, allowanceMs: oneMinuteMs }));
});

async function made(
  forge: Forge,
  plan: ArchivePlan,
  caller: string,
  signal: AbortSignal | undefined,
): Promise<KeptArchive> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(comeBack()), mostWaitMs);
  try {
    return await archivesOf(forge.table).get(
      keyText(archiveKey(plan.repository.root.repositoryId, plan.name)),
      {
        caller,
        make: () => makeArchive(forge, plan),
        unheard: (error) => {
          if (!isForgeError(error)) forge.log.error("archive:failed", { error });
        },
        signal: AbortSignal.any([waiting.signal, ...(signal === undefined ? [] : [signal])]),
      },
    );
  } finally {
    clearTimeout(timer);
  }
}

const comeBack = () =>
  unavailable("the archive takes longer than a request: it is being made, or waits for its turn; ask again", {
    retryAfterSeconds: comeBackSeconds,
  });
