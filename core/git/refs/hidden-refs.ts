import { RefTable } from "./ref-table.ts";
import type { RefSnapshot } from "./snapshot.ts";

/** Refs below this the service keeps for itself: nobody is shown them, or given what only they lead to. */
export const hiddenPrefix = "refs/internal/";

export const isHiddenRef = (name: string): boolean => name.startsWith(hiddenPrefix);

const visible = new WeakMap<RefTable, RefTable>();

/** The table without hidden refs, kept with it; the table itself where it has none. */
function visibleRefs(refs: RefTable): RefTable {
  if (!refs.hasPrefix(hiddenPrefix)) return refs;
  let shown = visible.get(refs);
  if (shown === undefined) {
    shown = new RefTable(refs.entries.filter(({ name }) => !isHiddenRef(name)));
    visible.set(refs, shown);
  }
  return shown;
}

/** A snapshot as people see it. Where refs are hidden, not everything in the packs is for everybody. */
export function visibleSnapshot<T extends RefSnapshot>(snapshot: T): T {
  const refs = visibleRefs(snapshot.refs);
  if (refs === snapshot.refs) return snapshot;
  return { ...snapshot, refs, root: { ...snapshot.root, isWhollyReachable: false } };
}
