import type { ObjectId } from "../../format/object-format.ts";
import { typeOfCode } from "../../format/object-type.ts";
import { type PackSelection, selectAll } from "../../pack/pack-selection.ts";
import type { PackSet } from "../../pack/pack-set.ts";
import type { ObjectFilter } from "./object-filter.ts";

/**
 * Everything in some packs that a filter accepts, from the side files alone; `asked` is sent in any case. Undefined
 * when the filter needs more than an object's kind and size.
 */
export function selectWhole(
  packs: PackSet,
  filter: ObjectFilter | undefined,
  asked: Iterable<ObjectId>,
): PackSelection[] | undefined {
  const all = selectAll(packs);
  if (filter === undefined) return all;
  const { types, treeDepth, blobBytes } = filter;
  const hasNoTrees = treeDepth === 0;
  if (!(types.has("commit") && types.has("tag")) || (Number.isFinite(treeDepth) && !hasNoTrees))
    return undefined;
  const passes = (pack: number, position: number): boolean => {
    const { side } = packs.packs[pack] as PackSet["packs"][number];
    const type = typeOfCode(side.typeCodeAt(position));
    if (type === "commit" || type === "tag") return true;
    if (hasNoTrees || type === undefined || !types.has(type)) return false;
    return type === "tree" || side.sizeAt(position) < blobBytes;
  };
  const extra = askedByPack(packs, asked);
  return all.flatMap(({ pack, positions }) => {
    const count = packs.packs[pack]?.side.count ?? 0;
    const from =
      positions === "all" ? Uint32Array.from({ length: count }, (_, position) => position) : positions;
    const kept = from.filter((position) => passes(pack, position) || extra.get(pack)?.has(position) === true);
    return kept.length === 0 ? [] : [{ pack, positions: kept }];
  });
}

/** The places of some objects, in every pack that has them: a selection takes each from one. */
function askedByPack(packs: PackSet, asked: Iterable<ObjectId>): Map<number, Set<number>> {
  const byPack = new Map<number, Set<number>>();
  for (const id of asked) {
    const binary = Buffer.from(id, "hex");
    for (const [pack, { side }] of packs.packs.entries()) {
      const position = side.find(binary);
      if (position < 0) continue;
      const known = byPack.get(pack);
      if (known === undefined) byPack.set(pack, new Set([position]));
      else known.add(position);
    }
  }
  return byPack;
}
