import type { ObjectId } from "../../format/object-format.ts";
import { reachesAll } from "../../history/find-unreached.ts";
import type { NewPack } from "../../pack/new-pack.ts";
import type { LoggedChange } from "../../refs/ref-log.ts";
import type { RefTable } from "../../refs/ref-table.ts";
import type { OpenRepository } from "../store.ts";

/** Beyond this many commits the answer is "no", which only costs a walk at the next clone. */
const mostCommits = 1_000;

/**
 * Whether every object in the packs is still reachable from a ref after a push, so that whole packs may be sent and any
 * object in them be asked for. "No" is always safe; it is also the answer when finding out takes long.
 */
export async function keepsWholeReachability(
  before: OpenRepository,
  after: RefTable,
  changes: readonly LoggedChange[],
  pack: NewPack | undefined,
): Promise<boolean> {
  if (!before.root.isWhollyReachable) return false;
  if (pack !== undefined && !isReachable(pack, changes)) return false;
  const dropped = changes.flatMap(({ old }) =>
    old === undefined || after.pointingAt(old).length > 0 || pack?.refersTo(old) ? [] : [old],
  );
  if (dropped.length === 0) return true;
  const head = after.find(before.root.head)?.id;
  const tips = [...changes.flatMap((change) => change.new ?? []), ...(head === undefined ? [] : [head])];
  const packs = await before.packs();
  const read = async (id: ObjectId) =>
    (await pack?.read(id)) ?? (packs.has(id) ? await packs.read(id) : undefined);
  return (await reachesAll(read, tips, dropped, mostCommits)) === "all";
}

/** A pack is connected: only the objects that no other object in it names must be targets of a ref now. */
function isReachable(pack: NewPack, changes: readonly LoggedChange[]): boolean {
  const landed = new Set(changes.map((change) => change.new));
  return pack.objects === 0 || (pack.unreferenced?.every((id) => landed.has(id)) ?? false);
}
