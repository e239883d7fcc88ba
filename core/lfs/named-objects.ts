import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { History } from "../git/history/history.ts";
import { selectObjects } from "../git/history/select/select-objects.ts";
import type { Place } from "../git/pack/pack-set.ts";
import { findLfsObjects, hasLfsObjects } from "./lfs.ts";
import { shareLfsObjects } from "./link.ts";
import { type LfsPointer, leastPointerBytes, mostPointerBytes, readLfsPointer } from "./pointer.ts";

/** Commits that come to a repository from another: those behind `want` that are not behind `have`, all in packs. */
export interface ComingCommits {
  readonly history: History;
  readonly want: ObjectId;
  /** Absent: all of them. */
  readonly have?: ObjectId;
}

/**
 * Gives a repository the objects that coming commits name, as far as the one has them where the commits come from: for a
 * merge of a fork, and the like. Call it before the commits land, so that whoever reads them finds the objects. May be
 * repeated.
 */
export async function shareNamedLfsObjects(
  forge: Forge,
  { from, to }: { readonly from: number; readonly to: number },
  coming: ComingCommits,
): Promise<void> {
  if (from === to || !forge.config.lfsStartServer || !(await hasLfsObjects(forge, from))) return;
  const { history, want, have } = coming;
  const haves = have === undefined ? [] : [have];
  const pointers = await findLfsPointers({ history, wants: [want], haves });
  for (let at = 0; at < pointers.length; at += atOnce) {
    const some = pointers.slice(at, at + atOnce);
    const found = await findLfsObjects(
      forge,
      from,
      some.map(({ oid }) => oid),
    );
    await shareLfsObjects(forge, to, [...found.values()]);
  }
}

const atOnce = 1_000;

/** The objects to which files point in commits that `wants` lead to and `haves` don't, each object once. */
export async function findLfsPointers({
  history,
  wants,
  haves,
}: {
  readonly history: History;
  readonly wants: readonly ObjectId[];
  readonly haves: readonly ObjectId[];
}): Promise<LfsPointer[]> {
  const { packs } = history;
  const { chosen } = await selectObjects({ packs, wants, haves });
  const small: Place[] = [];
  for (const place of chosen) {
    const pause = history.pace();
    if (pause !== undefined) await pause;
    if (packs.typeOf(place) !== "blob") continue;
    const size = packs.sizeOf(place);
    if (size >= leastPointerBytes && size <= mostPointerBytes) small.push(place);
  }
  const found = new Map<string, LfsPointer>();
  for (let at = 0; at < small.length; at += atOnce) {
    const ids = small.slice(at, at + atOnce).map((place) => packs.idOf(place));
    await history.fetch(ids);
    for (const id of ids) {
      const pointer = readLfsPointer((await history.object(id)).data);
      if (pointer !== undefined) found.set(pointer.oid, pointer);
      await history.pace();
    }
  }
  return [...found.values()];
}
