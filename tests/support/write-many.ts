import type { Forge } from "#core/forge";
import type { Write } from "#core/table/write";

const perTransaction = 100;

/** Writes many items beside the verbs, as many at a time as a transaction takes. Throws when a condition fails. */
export async function writeMany({ table }: Pick<Forge, "table">, writes: readonly Write[]): Promise<void> {
  for (let at = 0; at < writes.length; at += perTransaction) {
    const { committed } = await table.transact(writes.slice(at, at + perTransaction));
    if (!committed) throw new Error("an item is not as it was expected");
  }
}
