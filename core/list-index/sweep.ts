import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { dueWrite, settleDue } from "../jobs/due.ts";
import type { TableKey } from "../table/write.ts";
import { type Manifest, manifestWrite, readManifest } from "./manifest.ts";
import { columnKeys } from "./segments.ts";

/** Columns that a compaction wrote or replaced: an hour later, those that the manifest does not name are removed. */
export interface SegmentSweep {
  readonly partition: string;
  /** Sort keys. */
  readonly keys: readonly string[];
}

/** The kind under which sweeps are due. */
export const sweepKind = "segments";
/** How long readers may use an older manifest. */
export const graceMs = 3_600_000;

/** Schedules a look at columns of an index in an hour, by their sort keys. */
export async function sweepSegmentsLater(
  { table, clock }: Pick<Forge, "table" | "clock">,
  { partition, name }: { readonly partition: string; readonly name: string },
  keys: readonly string[],
): Promise<void> {
  const sweep: SegmentSweep = { partition, keys };
  await table.write(dueWrite(sweepKind, clock.now() + graceMs, `${name}#${randomId()}`, sweep));
}

/**
 * For the tick: removes columns that no manifest names, of compactions that are an hour old. Answers how many
 * compactions.
 */
export const sweepSegments = (forge: Forge): Promise<number> =>
  settleDue<SegmentSweep>(forge, sweepKind, (due) => removeUnnamed(forge, due));

/** Sort keys of the columns that a manifest names. */
export const namedColumns = (partition: string, { segments }: Manifest): Set<string | undefined> =>
  new Set(
    segments.flatMap((segment) => {
      const { entries, texts } = columnKeys(partition, segment);
      return [entries.sk, texts?.sk];
    }),
  );

/** False when a compaction moved the manifest meanwhile: the next tick tries again. */
async function removeUnnamed(forge: Forge, { partition, keys }: SegmentSweep): Promise<boolean> {
  const manifest = await readManifest(forge, { partition });
  if (manifest.isDamaged === true) return false;
  const named = namedColumns(partition, manifest);
  const unnamed = keys.filter((sk) => !named.has(sk)).map((sk): TableKey => ({ pk: partition, sk }));
  if (unnamed.length === 0) return true;
  // A process that was frozen in its compaction may wake up now: after this its manifest is outdated, and names
  // nothing. An empty index is left alone: that of a deleted repository stays away.
  const found = await forge.table.getAll(unnamed);
  if (found.size === 0) return true;
  if (!(await forge.table.write(manifestWrite(partition, manifest, manifest.segments)))) return false;
  await forge.table.removeAll([...found.values()]);
  return true;
}
