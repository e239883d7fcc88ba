import type { Forge } from "#core/forge";
import { consolidate } from "#core/git/store/maintain/consolidate";
import { readRoot } from "#core/git/store/refs/snapshot";
import { changeRoot } from "#core/git/store/store";
import { narrow } from "./consolidated.ts";

/** A way to keep packs few; whether it changed something. */
export type Consolidator = (forge: Forge, repositoryId: number) => Promise<boolean>;

/** The one of the product. */
export const rightConsolidator: Consolidator = async (forge, repositoryId) =>
  (await consolidate(forge, repositoryId, { bounds: narrow })) === "consolidated";

/** A mistake that the model has to find: packs of pushes that came in between are dropped. */
export const forgetsNewPacks: Consolidator = async (forge, repositoryId) => {
  const before = await readRoot(forge.table, repositoryId);
  await readRoot(forge.table, repositoryId);
  if (before === undefined) return false;
  const { kind } = await changeRoot(forge, repositoryId, () => ({ changes: { packs: before.packs } }));
  return kind === "done";
};

/** Another one: what was replaced is removed at once, whoever reads by an older ROOT. */
export const removesAtOnce: Consolidator = async (forge, repositoryId) => {
  const before = await readRoot(forge.table, repositoryId);
  const hasWon = await rightConsolidator(forge, repositoryId);
  const after = await readRoot(forge.table, repositoryId);
  const kept = new Set(after?.packs.map(({ id }) => id));
  const gone = before?.packs.filter(({ id }) => !kept.has(id)) ?? [];
  await forge.blobs.remove(gone.flatMap(({ key }) => [`${key}.pack`, `${key}.side`]));
  return hasWon;
};
