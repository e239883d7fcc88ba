import type { Forge } from "#core/forge";

/** A forge where something happens between the judgement of the first push and its transaction. */
export function withMeanwhile(forge: Forge, meanwhile: () => Promise<unknown>): Forge {
  const { table } = forge;
  let hasHappened = false;
  const transact: typeof table.transact = async (writes, options) => {
    if (!hasHappened && writes.some((write) => "put" in write && write.put.sk === "ROOT")) {
      hasHappened = true;
      await meanwhile();
    }
    return table.transact(writes, options);
  };
  return { ...forge, table: { ...table, transact } };
}
