import type { ObjectId } from "../format/object-format.ts";
import { leadsToAllRefs } from "../history/select/leads-to-all.ts";
import type { ObjectFilter } from "../history/select/object-filter.ts";
import { selectObjects } from "../history/select/select-objects.ts";
import { selectWhole } from "../history/select/select-whole.ts";
import type { ShallowHistory } from "../history/select/shallow-history.ts";
import { selectPlaces } from "../pack/pack-selection.ts";
import { type WritePackOptions, writePack } from "../pack/pack-writer.ts";
import type { OpenRepository } from "../store/store.ts";
import { keepAliveMs, withKeepAlive } from "./keep-alive.ts";
import { ProtocolError } from "./protocol-error.ts";
import { band, bandFrame, bandFrames, keepAliveFrame } from "./side-band.ts";

/** The objects for a client, and the form of the answer. */
export interface PackAnswerRequest {
  readonly repository: OpenRepository;
  readonly wants: readonly ObjectId[];
  /** The objects that the client has; a promise while they are unknown. The client is told a ProtocolError from it. */
  readonly common: ReadonlySet<ObjectId> | Promise<ReadonlySet<ObjectId>>;
  readonly history: ShallowHistory;
  readonly filter: ObjectFilter | undefined;
  readonly isThin: boolean;
  readonly usesOfsDelta: boolean;
  readonly includesTags: boolean;
  readonly showsProgress: boolean;
  /** Most bytes of a side-band frame; those of side-band-64k when absent. */
  readonly frameBytes?: number;
  readonly signal?: AbortSignal;
  readonly keepAliveMs?: number;
  /** Called with the reason when an answer that has begun can't be finished; the client learns it on side-band 3. */
  onFailure?(error: unknown): void;
}

/** The pack as it is: for clients without side-band. */
export async function* rawPack(
  request: PackAnswerRequest,
  onProgress: (objects: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const { repository, history, filter, usesOfsDelta, isThin, signal } = request;
  const common = await request.common;
  const packSet = await repository.packs();
  const options = { packSet, useOfsDelta: usesOfsDelta };
  const isWhole =
    mayAskForEverything(request, common) &&
    (await leadsToAllRefs(packSet, repository.refs, request.wants, signal));
  const whole = isWhole ? selectWhole(packSet, filter, askedIds(request)) : undefined;
  if (whole !== undefined) {
    yield* untilAborted({ ...options, selection: whole }, signal);
    return;
  }
  const { chosen, bases } = await selectObjects({
    packs: packSet,
    wants: request.wants,
    haves: [...common],
    history,
    ...(filter && { filter }),
    ...(request.includesTags && { tagsOf: repository.refs }),
    ...(signal && { signal }),
    onProgress,
  });
  onProgress(chosen.size);
  const selection = selectPlaces(packSet, chosen);
  yield* untilAborted({ ...options, selection, ...(isThin && { thinBases: bases }) }, signal);
}

async function* untilAborted(options: WritePackOptions, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of writePack(options)) {
    yield piece;
    signal?.throwIfAborted();
  }
}

/**
 * Whether whole packs may be the answer, without a walk through trees: the client has nothing, and the packs hold no
 * garbage.
 */
const mayAskForEverything = (
  { repository: { root }, history }: PackAnswerRequest,
  common: ReadonlySet<ObjectId>,
): boolean => root.isWhollyReachable && common.size === 0 && history.cuts.size === 0;

/** The objects of all refs and behind their tags: when everything is wanted, filters leave these alone. */
function* askedIds({ repository: { refs } }: PackAnswerRequest): Generator<ObjectId> {
  for (const { id, peeled } of refs.entries) {
    yield id;
    if (peeled !== undefined) yield peeled;
  }
}

const progressMs = 1_000;

/** The pack on side-band 1, with progress or an empty frame on side-band 2 while nothing else is sent. */
export async function* sideBandPack(request: PackAnswerRequest): AsyncGenerator<Buffer> {
  let objects = 0;
  const pack = rawPack(request, (count) => {
    objects = count;
  });
  const idleMs = request.keepAliveMs ?? keepAliveMs;
  const interval = request.showsProgress ? Math.min(progressMs, idleMs) : idleMs;
  let told = 0;
  const filler = () => {
    if (!request.showsProgress || objects === told) return keepAliveFrame;
    told = objects;
    return bandFrame(band.progress, `Selecting objects: ${objects}\r`);
  };
  try {
    yield* withKeepAlive(bandFrames(band.data, pack, request.frameBytes), filler, interval);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    if (error instanceof ProtocolError) {
      yield bandFrame(band.error, `${error.message}\n`);
      return;
    }
    request.onFailure?.(error);
    yield bandFrame(band.error, "the server could not read this repository; try again later\n");
  }
}
