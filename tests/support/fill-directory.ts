import type { Directory } from "#core/directory/directory";
import { planOf, writeColumns } from "#core/directory/internal/fold";
import type { TailRow } from "#core/directory/internal/tail";
import { pointerWrite, readPointer } from "#core/directory/pointer";
import type { Forge } from "#core/forge";

/**
 * Compacts entries of version 1 into a list index, without the way through the delta: as many as one likes, in a
 * moment.
 */
export async function fillDirectory<Entry>(
  forge: Forge,
  directory: Directory<Entry, never, never>,
  entries: ReadonlyMap<number, Entry>,
): Promise<void> {
  const { kind } = directory;
  const tail = [...entries].map(([id, entry]): TailRow => {
    const text = kind.encodeText === undefined ? {} : { text: kind.encodeText(entry) };
    return { id, entry: { bytes: kind.encode(entry, 1), version: 1, ...text } };
  });
  const pointer = await readPointer(forge, directory);
  const plan = await planOf(forge, directory, pointer, tail, {
    choose: (stretches) =>
      stretches.map((stretch) => ({
        stretch,
        replaces: stretch.segment === undefined ? [] : [stretch.segment],
      })),
  });
  if (plan === undefined) return;
  await writeColumns(forge, directory, plan);
  const isDone = await forge.table.write(pointerWrite(directory.partition, pointer, plan.segments));
  if (!isDone) throw new Error("somebody else folds this directory");
}
