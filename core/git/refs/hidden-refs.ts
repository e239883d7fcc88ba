import { lazyFor } from "../../lazy.ts";
import type { GitRepository } from "../repository.ts";
import { RefTable } from "./ref-table.ts";

/** The service keeps refs below this for itself: nobody sees them, or gets objects that only they lead to. */
export const hiddenPrefix = "refs/internal/";

export const isHiddenRef = (name: string): boolean => name.startsWith(hiddenPrefix);

/** The table without hidden refs, kept with it; the table itself when it has none. */
const visibleRefs = lazyFor((refs: RefTable) =>
  refs.hasPrefix(hiddenPrefix) ? new RefTable(refs.entries.filter(({ name }) => !isHiddenRef(name))) : refs,
);

/** A repository as people see it. When refs are hidden, not everything in the packs is for everybody. */
export function visibleRepository<T extends GitRepository>(repository: T): T {
  const refs = visibleRefs(repository.refs);
  return refs === repository.refs ? repository : { ...repository, refs, isWhollyReachable: false };
}
