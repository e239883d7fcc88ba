import { lazyFor } from "../../../lazy.ts";
import { RefTable } from "../../refs/ref-table.ts";
import type { RefSnapshot } from "./snapshot.ts";

/** The service keeps refs below this for itself: nobody sees them, or gets objects that only they lead to. */
export const hiddenPrefix = "refs/internal/";

export const isHiddenRef = (name: string): boolean => name.startsWith(hiddenPrefix);

/** The table without hidden refs, kept with it; the table itself when it has none. */
const visibleRefs = lazyFor((refs: RefTable) =>
  refs.hasPrefix(hiddenPrefix) ? new RefTable(refs.entries.filter(({ name }) => !isHiddenRef(name))) : refs,
);

/** A snapshot as people see it. When refs are hidden, not everything in the packs is for everybody. */
export function visibleSnapshot<T extends RefSnapshot>(snapshot: T): T {
  const refs = visibleRefs(snapshot.refs);
  if (refs === snapshot.refs) return snapshot;
  return { ...snapshot, refs, root: { ...snapshot.root, isWhollyReachable: false } };
}
