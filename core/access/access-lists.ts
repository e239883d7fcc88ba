import type { Forge } from "../forge.ts";
import { keyText } from "../table/write.ts";
import { type AccessList, accessListKey } from "../team/team.table.ts";

/** The access lists of some organizations, by organization id, read strongly. No ids cost no request. */
export async function findAccessLists(
  { table }: Forge,
  organizationIds: readonly number[],
): Promise<Map<number, AccessList>> {
  const found = await table.getAll<AccessList>(organizationIds.map(accessListKey));
  return new Map(
    organizationIds.flatMap((id) => {
      const list = found.get(keyText(accessListKey(id)));
      return list === undefined ? [] : [[id, list] as const];
    }),
  );
}
