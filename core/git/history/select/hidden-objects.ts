import { LRUCache } from "lru-cache";
import { filterPaced, mapPaced, Pacer } from "../../../concurrency/pacer.ts";
import type { ObjectId } from "../../format/object-format.ts";
import type { PackSet } from "../../pack/pack-set.ts";
import type { RefTable } from "../../refs/ref-table.ts";
import type { GitRepository } from "../../repository.ts";
import { ReachableObjects } from "./reachable-objects.ts";

/**
 * The most commits and trees looked at for one request: more than the history of most repositories, some seconds of
 * work.
 */
const mostLookedAt = 500_000;

/** Objects that a client may not have. Not certain: the bound came before the answer, and asking again continues. */
export interface HiddenObjects {
  readonly ids: ReadonlySet<ObjectId>;
  readonly isCertain: boolean;
}

const nothing: HiddenObjects = { ids: new Set(), isCertain: true };

/** A want that is refused. */
export interface ForbiddenWant {
  readonly id: ObjectId;
  readonly isCertain: boolean;
}

/**
 * The first want that the client may not have: absent, or led to by no ref as far as can be told. Undefined when all
 * may be sent. Objects of only old or refused pushes stay hidden. Throws the signal's reason.
 */
export async function findForbiddenWant(
  repository: GitRepository,
  wants: readonly ObjectId[],
  signal?: AbortSignal,
): Promise<ForbiddenWant | undefined> {
  const { ids, isCertain } = await findHidden(repository, wants, signal);
  const id = wants.find((want) => ids.has(want));
  return id === undefined ? undefined : { id, isCertain };
}

/** Those of some objects that are absent, or that no ref leads to. Throws the signal's reason. */
export async function findHidden(
  repository: GitRepository,
  ids: readonly ObjectId[],
  signal?: AbortSignal,
): Promise<HiddenObjects> {
  const { refs } = repository;
  const unusual = await filterPaced(ids, (id) => refs.pointingAt(id).length === 0, signal);
  if (unusual.length === 0) return nothing;
  const packs = await repository.packs();
  const absent = await filterPaced(unusual, (id) => !packs.has(id), signal);
  if (absent.length > 0 || repository.isWhollyReachable) return { ids: new Set(absent), isCertain: true };
  const walk = walkOf(refs, packs);
  try {
    const placed = (id: ObjectId) => [packs.find(id) as number, id] as const;
    const idOf = new Map(await mapPaced(unusual, placed, new Pacer(signal)));
    const { places, isCertain } = await walk.findUnreached(packs, [...idOf.keys()], {
      most: mostLookedAt,
      signal,
    });
    return { ids: new Set(Array.from(places, (place) => idOf.get(place) as ObjectId)), isCertain };
  } finally {
    if (walk.isBroken && walks.get(refs) === walk) walks.delete(refs);
  }
}

/** The latest walks, each of one version of a repository's refs. */
const walks = new LRUCache<RefTable, ReachableObjects>({ max: 4 });

function walkOf(refs: RefTable, packs: PackSet): ReachableObjects {
  let walk = walks.get(refs);
  if (walk?.isOf(packs) !== true) {
    walk = new ReachableObjects(packs, new Set(refs.entries.map(({ id }) => id)));
    walks.set(refs, walk);
  }
  return walk;
}
