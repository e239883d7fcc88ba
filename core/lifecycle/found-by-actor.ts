import { userPartition } from "../owner/owner.table.ts";
import type { EndedUser, EndPart, UserStage } from "./lifecycle.ts";

/**
 * Removes what a deleted user left at issues under sort keys that begin so. The index of actors finds it, and lags: a
 * later pass finds what this one misses.
 */
export const foundByActor = (prefix: string): EndPart<EndedUser, UserStage> => ({
  async step({ table }, { userId }, inner) {
    const after = inner === undefined ? undefined : JSON.parse(String(inner));
    const { keys, next } = await table.queryActor(userPartition(userId), after);
    const found = await table.getAll(keys.filter(({ sk }) => sk.startsWith(prefix)));
    await table.removeAll([...found.values()]);
    return { hasFound: found.size > 0, hasMore: next !== undefined, inner: next && JSON.stringify(next) };
  },
});
