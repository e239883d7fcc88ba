import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defined } from "../../defined.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { IngestedPack, IngestLimits } from "../ingest/ingest-types.ts";
import { takePack } from "../ingest/take-pack.ts";
import type { GitRepository } from "../repository.ts";
import { type FetchRequest, fetchPack } from "./fetch-pack.ts";
import { listRemoteRefs } from "./list-refs.ts";
import { openRemote, type Remote, type RemoteRefs } from "./remote.ts";
import { RemoteError, type RemoteOutcome, remoteOutcome } from "./remote-failure.ts";
import { limitsOf, type RemoteAddress } from "./transport.ts";

/** How packs of a remote are taken. */
export interface FetchOptions {
  /** Only refs whose names begin with one of these; all when absent. */
  readonly prefixes?: readonly string[];
  readonly limits?: Partial<IngestLimits>;
  /** Where packs are spooled; absent: the system's temporary folder. */
  readonly temporaryFolder?: string;
  readonly signal?: AbortSignal;
}

/** The refs of a remote, and the objects that were missing here. `dispose` frees the pack's file. */
export interface Fetched {
  readonly refs: RemoteRefs;
  /** Absent when everything is here already. `commitPush` lands it (`newPackOf`). */
  readonly pack?: IngestedPack;
  dispose(): Promise<void>;
}

/** The most haves sent: refs of ours, which the remote mostly knows. */
const mostHaves = 20_000;

/** The refs of a remote. */
export const readRemoteRefs = (
  address: RemoteAddress,
  prefixes?: readonly string[],
): Promise<RemoteOutcome<RemoteRefs & Pick<Remote, "format">>> =>
  remoteOutcome(async () => {
    const remote = await openRemote(address, "git-upload-pack");
    return { format: remote.format, ...(await listRemoteRefs(remote, prefixes)) };
  });

/**
 * Fetches the objects that a repository lacks of a remote's refs, with the checks of a push: nothing lands, and no
 * object is missing behind the pack. The remote's faults are values.
 */
export const fetchRemote = (
  address: RemoteAddress,
  repository: GitRepository,
  options: FetchOptions = {},
): Promise<RemoteOutcome<Fetched>> =>
  remoteOutcome(async () => {
    const remote = await openFor(address, repository);
    const refs = await listRemoteRefs(remote, options.prefixes);
    const packs = await repository.packs();
    const wants = [...new Set(refs.refs.map(({ id }) => id))].filter((id) => !packs.has(id));
    if (wants.length === 0) return { refs, dispose: async () => undefined };
    const request = { wants, haves: havesOf(repository, refs), isThin: true };
    return { refs, ...(await fetchInto(remote, request, repository, boundedBy(address, options))) };
  });

/** Opens a remote for fetching into a repository of the same object format. Throws RemoteError. */
export async function openFor(address: RemoteAddress, { format }: GitRepository): Promise<Remote> {
  const remote = await openRemote(address, "git-upload-pack");
  if (remote.format === format) return remote;
  throw new RemoteError(
    "object-format",
    `the remote uses ${remote.format} object ids, and this repository ${format}: create it anew as such`,
  );
}

/** Ingest must not take more than may be received. */
export const boundedBy = (address: RemoteAddress, options: FetchOptions): FetchOptions => ({
  ...options,
  limits: { packBytes: limitsOf(address).packBytes, ...options.limits },
  ...defined({ signal: address.signal }),
});

/** Refs of ours, first those that the remote has under the same name. */
function havesOf({ refs }: GitRepository, remote: RemoteRefs): ObjectId[] {
  const haves = new Set<ObjectId>();
  for (const { name } of remote.refs) {
    const entry = refs.find(name);
    if (entry !== undefined) haves.add(entry.id);
  }
  for (const { id } of refs.entries) haves.add(id);
  return [...haves].slice(0, mostHaves);
}

/** Fetches into a temporary file with all checks. Throws RemoteError. */
async function fetchInto(
  remote: Remote,
  request: FetchRequest,
  repository: GitRepository,
  options: FetchOptions,
): Promise<Required<Pick<Fetched, "pack" | "dispose">>> {
  const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), "coldforge-fetch-"));
  const dispose = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const pack = await takeAnswer(remote, request, (pieces) => takePack(repository, pieces, folder, options));
    return { pack, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/**
 * Lets a function take an answer's pack, and tells a failure of the remote from one of the pack. Throws RemoteError.
 */
async function takeAnswer<T>(
  remote: Remote,
  request: FetchRequest,
  take: (pieces: AsyncIterable<Uint8Array>) => Promise<{ readonly pack: T } | { readonly problem: string }>,
): Promise<T> {
  const answer = await fetchPack(remote, request);
  let broken: unknown;
  const pieces = async function* () {
    try {
      yield* answer.pack;
    } catch (error) {
      broken = error;
      throw error;
    }
  };
  try {
    const taken = await take(pieces());
    if ("pack" in taken) return taken.pack;
    throw broken ?? new RemoteError("bad-pack", taken.problem);
  } finally {
    await answer.close();
  }
}
