import { createHash } from "node:crypto";
import type { ObjectId } from "../../format/object-format.ts";
import type { PackSet } from "../../pack/pack-set.ts";
import type { RefTable } from "../../refs/ref-table.ts";
import { ReachableObjects } from "./reachable-objects.ts";

/** Beyond this many commits the answer is "no", which only costs a walk through trees. */
const mostCommits = 20_000;

/** The last answer for a table: clones of one version mostly want the same. */
const answers = new WeakMap<RefTable, { readonly key: string; readonly answer: boolean }>();

/**
 * Whether the wants lead to every ref, and so to everything. A clone wants branches and tags, and the heads of merged
 * pull requests lie behind those. It looks only at commits; throws the signal's reason.
 */
export async function leadsToAllRefs(
  packs: PackSet,
  refs: RefTable,
  wants: readonly ObjectId[],
  signal?: AbortSignal,
): Promise<boolean> {
  const wanted = new Set(wants);
  const others = refs.entries.filter(({ id }) => !wanted.has(id));
  if (others.length === 0) return true;
  const places = others.map(({ id }) => packs.find(id));
  if (!places.every((place) => place !== undefined && packs.typeOf(place) === "commit")) return false;
  const key = createHash("sha1")
    .update([...wanted].sort().join())
    .digest("base64");
  const known = answers.get(refs);
  if (known?.key === key) return known.answer;
  const walk = new ReachableObjects(packs, wanted);
  const unmet = await walk.findUnreached(packs, places as number[], { most: mostCommits, signal });
  const answer = unmet.isCertain && unmet.places.size === 0;
  answers.set(refs, { key, answer });
  return answer;
}
