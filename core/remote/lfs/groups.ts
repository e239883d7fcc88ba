import type { LfsPointer } from "../../lfs/pointer.ts";

/** Objects on their way at a time: so many, all of them small, or a single one. */
const mostAtOnce = 8;
const smallBytes = 2 ** 20;

/** Objects that are transferred at a time, in their order: several small ones, or a single one. */
export function groupsToTransfer<T extends LfsPointer>(objects: readonly T[]): T[][] {
  const groups: T[][] = [];
  let isOpen = false;
  for (const object of objects) {
    const last = groups.at(-1);
    const isSmall = object.sizeBytes <= smallBytes;
    if (isOpen && isSmall && last !== undefined && last.length < mostAtOnce) last.push(object);
    else groups.push([object]);
    isOpen = isSmall;
  }
  return groups;
}
