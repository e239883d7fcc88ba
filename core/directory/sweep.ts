import { findDue } from "../due.ts";
import type { Forge } from "../forge.ts";
import { equals, type TableKey, update } from "../table.ts";
import { pointerKey } from "./directory.table.ts";
import { readPointer } from "./pointer.ts";
import { columnKeys } from "./segments.ts";

/** Columns that a fold wrote or replaced: those that the pointer does not name an hour later are to go. */
export interface SegmentSweep {
  readonly partition: string;
  /** Sort keys. */
  readonly keys: readonly string[];
}

/** The kind under which sweeps are due. */
export const sweepKind = "segments";
/** How long readers that hold an older pointer are given. */
export const graceMs = 3_600_000;

/** For the tick: removes columns that no pointer names, of folds that are an hour old. Answers how many folds. */
export async function sweepSegments(forge: Forge): Promise<number> {
  const due = await findDue<SegmentSweep>(forge, sweepKind);
  let swept = 0;
  for (const one of due) {
    if (!(await removeUnnamed(forge, one))) continue;
    await forge.table.removeAll([one]);
    swept += 1;
  }
  return swept;
}

/** False when a fold moved the pointer meanwhile: the next tick tries again. */
async function removeUnnamed(forge: Forge, { partition, keys }: SegmentSweep): Promise<boolean> {
  const pointer = await readPointer(forge, { partition });
  if (pointer.isDamaged === true) return false;
  const named = new Set(
    pointer.segments.flatMap((segment) => {
      const { entries, texts } = columnKeys(partition, segment);
      return [entries.sk, texts?.sk];
    }),
  );
  const unnamed = keys.filter((sk) => !named.has(sk)).map((sk): TableKey => ({ pk: partition, sk }));
  if (unnamed.length === 0) return true;
  // A process that was frozen over its fold may wake up now: after this its pointer is outdated, and names nothing.
  const { generation } = pointer;
  if (generation > 0) {
    const fence = update(pointerKey(partition), { add: { g: 1 } }, equals({ g: generation }));
    if (!(await forge.table.write(fence))) return false;
  }
  await forge.table.removeAll(unnamed);
  return true;
}
