import type { Forge } from "#core/forge";
import { planOf, writeColumns } from "#core/list-index/internal/compaction";
import type { DeltaRow } from "#core/list-index/internal/delta";
import type { ListIndex } from "#core/list-index/list-index";
import { manifestWrite, readManifest } from "#core/list-index/manifest";

/**
 * Compacts entries of version 1 into a list index, without the way through the delta: as many as one likes, in a
 * moment.
 */
export async function fillListIndex<Entry>(
  forge: Forge,
  index: ListIndex<Entry, never, never>,
  entries: ReadonlyMap<number, Entry>,
): Promise<void> {
  const { kind } = index;
  const delta = [...entries].map(([id, entry]): DeltaRow => {
    const text = kind.encodeText === undefined ? {} : { text: kind.encodeText(entry) };
    return { id, entry: { bytes: kind.encode(entry, 1), version: 1, ...text } };
  });
  const manifest = await readManifest(forge, index);
  const plan = await planOf(forge, index, manifest, delta, {
    choose: (ranges) =>
      ranges.map((range) => ({
        range,
        replaces: range.segment === undefined ? [] : [range.segment],
      })),
  });
  if (plan === undefined) return;
  await writeColumns(forge, index, plan);
  const isDone = await forge.table.write(manifestWrite(index.partition, manifest, plan.segments));
  if (!isDone) throw new Error("somebody else compacts this list index");
}
