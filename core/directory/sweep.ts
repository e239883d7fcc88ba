import { dueWrite, settleDue } from "../due.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import type { TableKey } from "../table.ts";
import { type Pointer, pointerWrite, readPointer } from "./pointer.ts";
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

/** Has columns of a directory looked at in an hour, by their sort keys. */
export async function sweepSegmentsLater(
  { table, clock }: Pick<Forge, "table" | "clock">,
  { partition, name }: { readonly partition: string; readonly name: string },
  keys: readonly string[],
): Promise<void> {
  const sweep: SegmentSweep = { partition, keys };
  await table.write(dueWrite(sweepKind, clock.now() + graceMs, `${name}#${randomId()}`, sweep));
}

/** For the tick: removes columns that no pointer names, of folds that are an hour old. Answers how many folds. */
export const sweepSegments = (forge: Forge): Promise<number> =>
  settleDue<SegmentSweep>(forge, sweepKind, (due) => removeUnnamed(forge, due));

/** Sort keys of the columns that a pointer names. */
export const namedColumns = (partition: string, { segments }: Pointer): Set<string | undefined> =>
  new Set(
    segments.flatMap((segment) => {
      const { entries, texts } = columnKeys(partition, segment);
      return [entries.sk, texts?.sk];
    }),
  );

/** False when a fold moved the pointer meanwhile: the next tick tries again. */
async function removeUnnamed(forge: Forge, { partition, keys }: SegmentSweep): Promise<boolean> {
  const pointer = await readPointer(forge, { partition });
  if (pointer.isDamaged === true) return false;
  const named = namedColumns(partition, pointer);
  const unnamed = keys.filter((sk) => !named.has(sk)).map((sk): TableKey => ({ pk: partition, sk }));
  if (unnamed.length === 0) return true;
  // A process that was frozen over its fold may wake up now: after this its pointer is outdated, and names nothing.
  // Not where there is nothing: the directory of a repository that was deleted stays away.
  const found = await forge.table.getAll(unnamed);
  if (found.size === 0) return true;
  if (!(await forge.table.write(pointerWrite(partition, pointer, pointer.segments)))) return false;
  await forge.table.removeAll([...found.values()]);
  return true;
}
