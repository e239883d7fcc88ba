import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomId } from "../../ids.ts";
import type { ObjectId } from "../object/object-format.ts";
import { ingestPack } from "../pack/ingest.ts";
import type { IngestedPack } from "../pack/ingest-types.ts";
import { type PackEntry, packKey, sideKey } from "../pack/pack-files.ts";
import { openPackSet, type PackSet } from "../pack/pack-set.ts";
import { selectAll, writePack } from "../pack/pack-writer.ts";
import { takePack } from "../protocol/take-push.ts";
import { thinBases } from "../protocol/thin-bases.ts";
import type { Doors, OpenRepository } from "../store.ts";
import { boundedBy, type FetchOptions, openFor } from "./fetch.ts";
import { type FetchAnswer, type FetchRequest, fetchPack } from "./fetch-pack.ts";
import { listRemoteRefs } from "./list-refs.ts";
import type { Remote, RemoteRefs } from "./remote.ts";
import { failureOf, RemoteError, type RemoteOutcome, remoteOutcome } from "./remote-failure.ts";
import { limitsOf, type RemoteAddress } from "./transport.ts";

/**
 * A large fetch on its way, as plain values: who drives it stores them after each slice and goes on from them after
 * a crash. The packs lie in the repository's prefix, where nobody sees them until the whole has landed.
 */
export interface StagedFetch {
  readonly id: string;
  /** What the slices lead back from; absent before the first one. */
  readonly tip?: ObjectId;
  /** Commits whose parents have not come yet. */
  readonly frontier: readonly ObjectId[];
  /** Commits from the tip that have come. */
  readonly depth: number;
  /** Commits that the next slice is to go further. */
  readonly step: number;
  readonly packs: readonly PackEntry[];
}

/** One step of a large fetch. */
export interface FetchedSlice {
  readonly staged: StagedFetch;
  /** Everything that the remote's refs lead to is here or staged: `collectFetch` may follow. */
  readonly isComplete: boolean;
  readonly refs: RemoteRefs;
}

export interface SliceOptions extends FetchOptions {
  /** Bytes that a slice aims at; 64 MiB when absent. */
  readonly sliceBytes?: number;
}

type FetchDoors = Pick<Doors, "blobs">;

const defaultSliceBytes = 64 * 2 ** 20;
const firstStep = 16;
const largestStep = 1_000_000;
/** A remote that sends a few commits each time would keep us for ever. */
const mostPacks = 1_000;

/** A fetch of which nothing has come. */
export const beginFetch = (): StagedFetch => ({ id: randomId(), frontier: [], depth: 0, step: 1, packs: [] });

/** The same after a slice that was too large for the time: the next one asks for a quarter. */
export const withSmallerSlices = (staged: StagedFetch): StagedFetch => ({
  ...staged,
  step: Math.max(1, Math.floor(staged.step / 4)),
});

const folderOf = (repository: OpenRepository, { id }: StagedFetch): string =>
  `r/${repository.root.repositoryId}/f/${id}`;

/**
 * Fetches the next slice: history of the remote's main branch, some commits further back each time, and in the end
 * whatever other refs lead to. A failure leaves `staged` as good as it was; a slice that was cut off is lost alone.
 */
export const fetchSlice = (
  doors: FetchDoors,
  address: RemoteAddress,
  repository: OpenRepository,
  staged: StagedFetch,
  options: SliceOptions = {},
): Promise<RemoteOutcome<FetchedSlice>> =>
  remoteOutcome(async () => {
    const remote = await openFor(address, repository);
    const refs = await listRemoteRefs(remote, options.prefixes);
    const packs = await openAll(doors, repository, staged);
    const bounded = { ...options, ...boundedBy(address, options) };
    checkRoom(staged, limitsOf(address).packBytes);
    const slice = new Slice({ doors, remote, repository, packs, options: bounded }, staged);
    const line = mainLine(refs);
    const isBegun = staged.depth > 0 || (line !== undefined && packs.has(line));
    const isWhole = staged.frontier.length === 0 && isBegun;
    if (!isWhole && line !== undefined) return { staged: await slice.deepen(line), isComplete: false, refs };
    const wants = [...new Set(refs.refs.map(({ id }) => id))].filter((id) => !packs.has(id));
    return { staged: wants.length === 0 ? staged : await slice.fetchRest(wants), isComplete: true, refs };
  });

function checkRoom({ packs }: StagedFetch, packBytes: number): void {
  const bytes = packs.reduce((sum, pack) => sum + pack.packBytes, 0);
  if (bytes <= packBytes && packs.length <= mostPacks) return;
  throw new RemoteError("too-large", `the remote's history is larger than ${packBytes} bytes, or has no end`);
}

/** Objects of the repository and of what is staged. */
const openAll = ({ blobs }: FetchDoors, { root }: OpenRepository, { packs }: StagedFetch): Promise<PackSet> =>
  openPackSet(blobs, root.objectFormat, [...root.packs, ...packs]);

function mainLine({ refs, head }: RemoteRefs): ObjectId | undefined {
  const named = refs.find(({ name }) => name === head);
  return (named ?? refs.find(({ name }) => name.startsWith("refs/heads/")))?.id;
}

interface SliceWork {
  readonly doors: FetchDoors;
  readonly remote: Remote;
  readonly repository: OpenRepository;
  readonly packs: PackSet;
  readonly options: SliceOptions;
}

/** What came with one answer; no entry where it held nothing. */
interface FetchedPart {
  readonly answer: FetchAnswer;
  readonly entry: PackEntry | undefined;
  /** Bytes of the pack as it was sent. */
  readonly received: number;
}

class Slice {
  readonly #work: SliceWork;
  readonly #staged: StagedFetch;

  constructor(work: SliceWork, staged: StagedFetch) {
    this.#work = work;
    this.#staged = staged;
  }

  /** The next commits back from the tip; from the newest one where the remote no longer gives the old one. */
  async deepen(newest: ObjectId): Promise<StagedFetch> {
    const { tip = newest } = this.#staged;
    try {
      return await this.#deepenFrom(tip);
    } catch (error) {
      const reason = failureOf(error);
      if (tip === newest || reason?.kind !== "remote-error" || !/not our ref/.test(reason.message))
        throw error;
      return this.#deepenFrom(newest);
    }
  }

  async #deepenFrom(tip: ObjectId): Promise<StagedFetch> {
    const { tip: landed, frontier, depth, step } = this.#staged;
    const haves = landed === undefined ? [] : [landed];
    const request = { wants: [tip], haves, shallow: frontier, depth: depth + step, isThin: true };
    const { answer, entry, received } = await this.#fetch(request);
    const borders = new Set([...frontier, ...answer.shallow]);
    for (const id of answer.unshallow) borders.delete(id);
    const isStuck = entry === undefined && borders.size > 0 && borders.size === frontier.length;
    if (isStuck && depth + step >= largestStep) {
      throw new RemoteError("protocol", "the remote does not send what is behind its history's border");
    }
    return {
      ...this.#with(entry),
      ...{ tip, frontier: [...borders], depth: depth + step, step: this.#nextStep(received) },
    };
  }

  /** Towards the bytes that a slice is to have, by what this one had. */
  #nextStep(received: number): number {
    const { depth, step } = this.#staged;
    if (depth === 0) return firstStep;
    const { sliceBytes = defaultSliceBytes } = this.#work.options;
    const factor = Math.min(4, Math.max(0.25, sliceBytes / Math.max(1, received)));
    return Math.min(largestStep, Math.max(1, Math.floor(step * factor)));
  }

  /** What refs lead to beside the main line. */
  async fetchRest(wants: readonly ObjectId[]): Promise<StagedFetch> {
    const { tip } = this.#staged;
    const haves = [
      ...(tip === undefined ? [] : [tip]),
      ...this.#work.repository.refs.entries.map(({ id }) => id),
    ];
    return this.#with((await this.#fetch({ wants, haves, isThin: true })).entry);
  }

  #with(entry: PackEntry | undefined): StagedFetch {
    const staged = this.#staged;
    return entry === undefined ? staged : { ...staged, packs: [...staged.packs, entry] };
  }

  async #fetch(request: FetchRequest): Promise<FetchedPart> {
    const { remote, repository, packs, options } = this.#work;
    const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), "coldforge-fetch-"));
    const answer = await fetchPack(remote, request);
    let received = 0;
    const pieces = async function* () {
      for await (const piece of answer.pack) {
        received += piece.length;
        yield piece;
      }
    };
    try {
      const taken = await ingestPack(pieces(), {
        format: repository.root.objectFormat,
        temporaryFolder: folder,
        findBases: thinBases({ ...repository, packs: async () => packs }, folder),
        ...(options.limits && { limits: options.limits }),
        ...(options.signal && { signal: options.signal }),
      });
      if (!taken.ok)
        throw remoteCause(taken.reason.cause) ?? new RemoteError("bad-pack", taken.reason.message);
      return { answer, received, entry: await this.#store(taken.pack) };
    } finally {
      await answer.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  /** Puts a slice's pack away. Nothing names it until the caller has stored what is staged. */
  async #store(pack: IngestedPack): Promise<PackEntry | undefined> {
    if (pack.objectCount === 0) return undefined;
    const { doors, repository } = this.#work;
    const id = randomId();
    const key = `${folderOf(repository, this.#staged)}/${id}`;
    await doors.blobs.putFile(packKey({ key }), pack.packPath);
    await doors.blobs.put(sideKey({ key }), pack.side);
    const { packBytes, objectCount: objects } = pack;
    return { id, key, packBytes, sideBytes: pack.side.length, objects };
  }
}

const remoteCause = (cause: unknown): unknown =>
  cause instanceof Error && failureOf(cause) !== undefined ? cause : undefined;

/**
 * All that was staged as one pack in a temporary file, with the checks that a push passes: what was fetched in
 * slices is believed no more than what comes at once. `bad-pack` where something is missing.
 */
export const collectFetch = (
  doors: FetchDoors,
  repository: OpenRepository,
  staged: StagedFetch,
  options: FetchOptions = {},
): Promise<RemoteOutcome<{ readonly pack?: IngestedPack; dispose(): Promise<void> }>> =>
  remoteOutcome(async () => {
    if (staged.packs.length === 0) return { dispose: async () => undefined };
    const packSet = await openPackSet(doors.blobs, repository.root.objectFormat, staged.packs);
    const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), "coldforge-fetch-"));
    const dispose = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
    try {
      const pieces = writePack({ packSet, selection: selectAll(packSet), useOfsDelta: true });
      const taken = await takePack(repository, pieces, folder, options);
      if ("pack" in taken) return { pack: taken.pack, dispose };
      throw new RemoteError("bad-pack", taken.problem);
    } catch (error) {
      await dispose();
      throw error;
    }
  });

/** Removes what was staged, also what a crash left without a name. To be called once the fetch has landed or is given up. */
export async function discardFetch(
  { blobs }: FetchDoors,
  repository: OpenRepository,
  staged: StagedFetch,
): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(`${folderOf(repository, staged)}/`)) keys.push(key);
  await blobs.remove(keys);
}
