import type { Forge } from "../../forge.ts";
import { deliveryPartition } from "../delivery.table.ts";
import { type Hook, type HookParent, hooksOf } from "../hook.table.ts";

const hooksPerStep = 20;
const deliveriesPerHook = 100;

/** Removes hooks of a deleted parent, each after the records of its deliveries: one step, which may be repeated. */
export async function removeSomeHooks(
  { table }: Forge,
  parent: HookParent,
): Promise<{ hasFound: boolean; hasMore: boolean }> {
  const { items, next } = await table.query<Hook>({ ...hooksOf(parent), limit: hooksPerStep });
  let hasMore = next !== undefined;
  for (const hook of items) {
    const page = await table.query({ pk: deliveryPartition(hook.id), limit: deliveriesPerHook });
    await table.removeAll(page.items);
    if (page.next === undefined) await table.removeAll([hook]);
    else hasMore = true;
  }
  return { hasFound: items.length > 0, hasMore };
}
