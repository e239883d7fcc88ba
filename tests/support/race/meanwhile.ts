import type { Forge } from "#core/forge";
import type { Write } from "#core/table/write";

const movesRefs = (writes: readonly Write[]): boolean =>
  writes.some((write) => "put" in write && write.put.sk === "ROOT");

/** A forge where something happens before the first such transaction: of a push, between its judgement and that. */
export function withMeanwhile(
  forge: Forge,
  meanwhile: () => Promise<unknown>,
  isMeant: (writes: readonly Write[]) => boolean = movesRefs,
): Forge {
  const { table } = forge;
  let hasHappened = false;
  const transact: typeof table.transact = async (writes, options) => {
    if (!hasHappened && isMeant(writes)) {
      hasHappened = true;
      await meanwhile();
    }
    return table.transact(writes, options);
  };
  const watched: typeof table = { ...table, transact, countedBy: () => watched };
  return { ...forge, table: watched };
}
