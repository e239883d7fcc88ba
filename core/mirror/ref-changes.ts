import type { RemoteRef } from "../git/client/remote.ts";
import type { RefChange } from "../git/refs/check-changes.ts";
import { branchPrefix, tagPrefix } from "../git/refs/ref-name.ts";
import type { RefTable } from "../git/refs/ref-table.ts";

/** The refs that are brought over: other forges keep their own affairs below other names, without bound. */
export const mirroredPrefixes: readonly string[] = [branchPrefix, tagPrefix, "refs/notes/"];

export const isMirrored = (name: string): boolean =>
  mirroredPrefixes.some((prefix) => name.startsWith(prefix));

/**
 * The changes that make our refs like the remote's. Deletions come first, so that no name is in the way of another.
 * Without `prunes`, refs that are gone there stay here.
 */
export function mirrorChanges(
  ours: RefTable,
  theirs: readonly RemoteRef[],
  { prunes }: { readonly prunes: boolean },
): RefChange[] {
  const known = new Set(theirs.map(({ name }) => name));
  const gone = prunes
    ? ours.entries
        .filter(({ name }) => isMirrored(name) && !known.has(name))
        .map(({ name, id }) => ({ name, old: id }))
    : [];
  const moved = theirs.flatMap(({ name, id }): RefChange[] => {
    const old = ours.find(name)?.id;
    if (old === id) return [];
    return [old === undefined ? { name, new: id } : { name, old, new: id }];
  });
  return [...gone, ...moved];
}
