import { defined } from "../../../defined.ts";
import type { ObjectId } from "../../format/object-format.ts";
import { selectPlaces } from "../../pack/pack-selection.ts";
import { type WritePackOptions, writePack } from "../../pack/pack-writer.ts";
import type { GitRepository } from "../../repository.ts";
import { leadsToAllRefs } from "./leads-to-all-refs.ts";
import type { ObjectFilter } from "./object-filter.ts";
import { selectObjects } from "./select-objects.ts";
import { selectWhole } from "./select-whole.ts";
import { type ShallowHistory, wholeHistory } from "./shallow-history.ts";

/** The objects for a receiver, and the form of their pack. */
export interface PackRequest {
  readonly repository: GitRepository;
  readonly wants: readonly ObjectId[];
  /** The objects that the receiver has; a promise while they are unknown. */
  readonly common: ReadonlySet<ObjectId> | Promise<ReadonlySet<ObjectId>>;
  /** The border of the receiver's history; none when absent. */
  readonly history?: ShallowHistory;
  readonly filter?: ObjectFilter | undefined;
  /** Deltas may rest on objects that the receiver has. */
  readonly isThin: boolean;
  readonly usesOfsDelta: boolean;
  /** Annotated tags are sent with the commits that they lead to. */
  readonly includesTags?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * The pack of everything that the wants lead to and the receiver lacks, in pieces: for fetches, pushes to remotes and
 * bundles. `onProgress` hears how many objects were chosen so far. Rejects as `common` does; throws MissingObject when
 * the repository is damaged, and the signal's reason.
 */
export async function* packObjects(
  request: PackRequest,
  onProgress: (objects: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const { repository, wants, history = wholeHistory, filter, usesOfsDelta, isThin, signal } = request;
  const common = await request.common;
  const packSet = await repository.packs();
  const options = { packSet, useOfsDelta: usesOfsDelta };
  // Whole packs may be the answer, without a walk through trees, when the receiver has nothing and they hold no garbage.
  const mayBeWhole = repository.isWhollyReachable && common.size === 0 && history.cuts.size === 0;
  const isWhole = mayBeWhole && (await leadsToAllRefs(packSet, repository.refs, wants, signal));
  const whole = isWhole ? selectWhole(packSet, filter, askedIds(repository)) : undefined;
  if (whole !== undefined) {
    yield* untilAborted({ ...options, selection: whole }, signal);
    return;
  }
  const { chosen, bases } = await selectObjects({
    packs: packSet,
    wants,
    haves: [...common],
    history,
    ...defined({ filter }),
    ...(request.includesTags && { tagsOf: repository.refs }),
    ...defined({ signal }),
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

/** The objects of all refs and behind their tags: when everything is wanted, filters leave these alone. */
function* askedIds({ refs }: GitRepository): Generator<ObjectId> {
  for (const { id, peeled } of refs.entries) {
    yield id;
    if (peeled !== undefined) yield peeled;
  }
}
