import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defined } from "../../defined.ts";
import type { ObjectId } from "../format/object-format.ts";
import { thinBases } from "../ingest/complete/thin-bases.ts";
import { ingestPack } from "../ingest/ingest.ts";
import type { StagedPacks } from "../ingest/staged-packs.ts";
import type { PackEntry } from "../pack/pack-files.ts";
import { PackSet } from "../pack/pack-set.ts";
import type { GitRepository } from "../repository.ts";
import { boundedBy, type FetchOptions, openFor } from "./fetch.ts";
import { type FetchAnswer, type FetchRequest, fetchPack } from "./fetch-pack.ts";
import { listRemoteRefs } from "./list-refs.ts";
import type { Remote, RemoteRef, RemoteRefs } from "./remote.ts";
import { failureOf, RemoteError, type RemoteOutcome, remoteOutcome } from "./remote-failure.ts";
import {
  type FetchLine,
  type StagedFetch,
  withLargerSlices,
  withoutLine,
  withSmallerSlices,
} from "./staged-fetch.ts";
import { limitsOf, type RemoteAddress } from "./transport.ts";

/** One step of a large fetch. */
export interface FetchedSlice {
  readonly staged: StagedFetch;
  /** Everything that the remote's refs lead to is here or staged: call `collectFetch` next. */
  readonly isComplete: boolean;
  readonly refs: RemoteRefs;
}

export interface SliceOptions extends FetchOptions {
  /** Bytes that a slice aims at; absent: 64 MiB. A slice of four times as many is given up and fetched in parts. */
  readonly sliceBytes?: number;
}

const defaultSliceBytes = 64 * 2 ** 20;
const firstStep = 16;
const largestStep = 1_000_000;
/** A remote that sends a few commits each time would otherwise keep us for ever. */
const mostPacks = 1_000;
const mostRestarts = 2;
const mostHaves = 20_000;

/**
 * Fetches the next slice. The history of the remote's main branch comes first, some commits further back each time;
 * then the other refs, several at once, and the history of one in slices when it is large. A failure leaves `staged` as
 * good as it was; only a slice that was cut off is lost.
 */
export const fetchSlice = (
  packs: StagedPacks,
  address: RemoteAddress,
  repository: GitRepository,
  staged: StagedFetch,
  options: SliceOptions = {},
): Promise<RemoteOutcome<FetchedSlice>> =>
  remoteOutcome(async () => {
    const remote = await openFor(address, repository);
    const refs = await listRemoteRefs(remote, options.prefixes);
    checkRoom(staged, limitsOf(address).packBytes);
    const own = await repository.packs();
    const open = async (entries: readonly PackEntry[]) =>
      new PackSet(own.format, [...own.packs, ...(await packs.open(entries)).packs]);
    const held = await open(staged.packs);
    const whole =
      staged.line === undefined ? held : await open(staged.packs.slice(0, staged.line.packsBefore));
    const bounded = { ...options, ...boundedBy(address, options) };
    const slice = new Slice({ packs, remote, refs, repository, held, whole, options: bounded }, staged);
    const next = await slice.next();
    return { staged: next ?? staged, isComplete: next === undefined, refs };
  });

function checkRoom({ packs }: StagedFetch, packBytes: number): void {
  const bytes = packs.reduce((sum, pack) => sum + pack.packBytes, 0);
  if (bytes <= packBytes && packs.length <= mostPacks) return;
  throw new RemoteError("too-large", `the remote's history is larger than ${packBytes} bytes, or has no end`);
}

interface SliceWork {
  readonly packs: StagedPacks;
  readonly remote: Remote;
  readonly refs: RemoteRefs;
  readonly repository: GitRepository;
  /** Objects of the repository and of the staged packs. */
  readonly held: PackSet;
  /** Those of them behind which nothing is missing. */
  readonly whole: PackSet;
  readonly options: SliceOptions;
}

/** The content of one answer; no entry when it held nothing. */
interface FetchedPart {
  readonly answer: FetchAnswer;
  readonly entry: PackEntry | undefined;
  /** Bytes of the pack as it was sent. */
  readonly received: number;
}

/** Why a slice was given up: it can be fetched in parts. */
class SliceTooLarge extends Error {}

class Slice {
  readonly #work: SliceWork;
  readonly #staged: StagedFetch;

  constructor(work: SliceWork, staged: StagedFetch) {
    this.#work = work;
    this.#staged = staged;
  }

  /** The staged packs after this slice; undefined when the fetch is complete. */
  async next(): Promise<StagedFetch | undefined> {
    const { width, line = this.#nextLine() } = this.#staged;
    const wants = line === undefined ? [...new Set(this.#wanted().map(({ id }) => id))].slice(0, width) : [];
    try {
      if (line !== undefined) return await this.#deepen(line);
      return wants.length === 0 ? undefined : await this.#fetchWhole(wants);
    } catch (error) {
      if (!(error instanceof SliceTooLarge)) throw error;
      return withSmallerSlices({ ...this.#staged, width: wants.length, ...defined({ line }) });
    }
  }

  /** Refs of which something is missing, the main branch first. */
  #wanted(): RemoteRef[] {
    const { refs, head } = this.#work.refs;
    const main =
      refs.find(({ name }) => name === head) ?? refs.find(({ name }) => name.startsWith("refs/heads/"));
    return [...(main === undefined ? [] : [main]), ...refs].filter(({ id }) => !this.#work.whole.has(id));
  }

  #nextLine(): FetchLine | undefined {
    const { width, packs } = this.#staged;
    const [ref] = width > 0 ? [] : this.#wanted();
    if (ref === undefined) return undefined;
    return { name: ref.name, tip: ref.id, frontier: [], depth: 0, step: 1, packsBefore: packs.length };
  }

  /** The next commits back from the tip; from the ref's present commit if the remote no longer gives the old tip. */
  async #deepen(line: FetchLine): Promise<StagedFetch> {
    const moved = this.#work.refs.refs.find(({ name }) => name === line.name)?.id;
    try {
      return await this.#deepenFrom(line, line.tip);
    } catch (error) {
      const reason = failureOf(error);
      if (reason?.kind !== "remote-error" || !/not our ref/.test(reason.message)) throw error;
      if (moved === undefined || moved === line.tip) return this.#startAgain(line);
      return this.#deepenFrom(line, moved);
    }
  }

  async #deepenFrom(line: FetchLine, tip: ObjectId): Promise<StagedFetch> {
    const { frontier, depth, step } = line;
    const { whole, options } = this.#work;
    const haves = [...(depth === 0 ? [] : [line.tip]), ...this.#haves()];
    const request = { wants: [tip], haves, shallow: frontier, depth: depth + step, isThin: true };
    const { answer, entry, received } = await this.#fetch(request, step > 1);
    const borders = new Set([...frontier, ...answer.shallow.filter((id) => !whole.has(id))]);
    for (const id of answer.unshallow) borders.delete(id);
    const isStuck = entry === undefined && borders.size > 0 && borders.size === frontier.length;
    if (isStuck && depth + step >= largestStep) return this.#startAgain(line);
    const further = {
      ...{ tip, frontier: [...borders], depth: depth + step },
      step: depth === 0 ? firstStep : nextStep(step, isStuck ? 0 : received, options.sliceBytes),
    };
    const staged = { ...this.#with(entry), line: { ...line, ...further } };
    return borders.size === 0 ? withoutLine(staged) : staged;
  }

  /** Drops the packs of a line that leads nowhere any more, so that nothing with holes is left. */
  #startAgain({ packsBefore }: FetchLine): StagedFetch {
    const { line: _, ...staged } = this.#staged;
    const restarts = staged.restarts + 1;
    if (restarts <= mostRestarts) return { ...staged, restarts, packs: staged.packs.slice(0, packsBefore) };
    throw new RemoteError("protocol", "the remote does not send what is behind its history's border");
  }

  /** All that some refs lead to. */
  async #fetchWhole(wants: readonly ObjectId[]): Promise<StagedFetch> {
    const { entry, received } = await this.#fetch({ wants, haves: this.#haves(), isThin: true }, true);
    const staged = this.#with(entry);
    const { sliceBytes = defaultSliceBytes } = this.#work.options;
    return received * 4 < sliceBytes ? withLargerSlices(staged) : staged;
  }

  /** Tips that are complete, first those that the remote is likely to have. */
  #haves(): ObjectId[] {
    const { refs, repository, whole } = this.#work;
    const theirs = refs.refs.map(({ id, peeled = id }) => peeled).filter((id) => whole.has(id));
    const ours = repository.refs.entries.map(({ id }) => id);
    return [...new Set([...this.#staged.done.toReversed(), ...theirs, ...ours])].slice(0, mostHaves);
  }

  #with(entry: PackEntry | undefined): StagedFetch {
    const staged = this.#staged;
    return entry === undefined ? staged : { ...staged, packs: [...staged.packs, entry] };
  }

  async #fetch(request: FetchRequest, isDivisible: boolean): Promise<FetchedPart> {
    const { packs, remote, repository, held, options } = this.#work;
    const mostBytes = isDivisible ? 4 * (options.sliceBytes ?? defaultSliceBytes) : Number.POSITIVE_INFINITY;
    const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), "coldforge-fetch-"));
    const answer = await fetchPack(remote, request);
    let received = 0;
    const pieces = async function* () {
      for await (const piece of answer.pack) {
        received += piece.length;
        if (received > mostBytes) throw new SliceTooLarge();
        yield piece;
      }
    };
    try {
      const taken = await ingestPack(pieces(), {
        format: repository.format,
        temporaryFolder: folder,
        findBases: thinBases({ packs: async () => held }, folder),
        ...defined({ limits: options.limits, signal: options.signal }),
      });
      if (!taken.ok) throw causeOf(taken.reason) ?? new RemoteError("bad-pack", taken.reason.message);
      const isEmpty = taken.pack.objectCount === 0;
      const entry = isEmpty ? undefined : await packs.put(this.#staged.id, taken.pack);
      return { answer, received, entry };
    } finally {
      await answer.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** Moves the step towards the wanted bytes of a slice, by the size of the last one. */
function nextStep(step: number, received: number, sliceBytes = defaultSliceBytes): number {
  const factor = Math.min(received === 0 ? 16 : 4, Math.max(0.25, sliceBytes / Math.max(1, received)));
  return Math.min(largestStep, Math.max(1, Math.floor(step * factor)));
}

/** The cause of a pack's break, when it was not the pack itself. */
const causeOf = ({ cause }: { readonly cause?: unknown }): Error | undefined =>
  cause instanceof SliceTooLarge || (cause instanceof Error && failureOf(cause) !== undefined)
    ? cause
    : undefined;
