import { Pacer } from "../../concurrency/pacer.ts";
import type { Forge } from "../../forge.ts";
import { typeCodes } from "../../git/format/object-type.ts";
import type { IngestedPack } from "../../git/ingest/ingest-types.ts";
import { type WantedLfs, wantedLfsKey } from "../../lfs/lfs.table.ts";
import { type LfsPointer, leastPointerBytes, mostPointerBytes, readLfsPointer } from "../../lfs/pointer.ts";
import { put } from "../../table/write.ts";

/** Objects in one item: some 50 KB. */
const objectsPerItem = 500;
const mostObjects = 100_000;

/**
 * Notes the objects of Git LFS that a fetched pack names, before it lands: no kill in between forgets them. Answers what
 * was left out, for people. May be repeated.
 */
export async function noteWantedLfs(
  { table }: Forge,
  { repositoryId, fetchId }: { readonly repositoryId: number; readonly fetchId: string },
  pack: IngestedPack,
): Promise<string | undefined> {
  const pointers = await pointersIn(pack);
  for (let page = 0; page * objectsPerItem < pointers.length; page += 1) {
    const objects = pointers.slice(page * objectsPerItem, (page + 1) * objectsPerItem);
    const item: WantedLfs = { ...wantedLfsKey(repositoryId, fetchId, page), objects, tries: 0, _v: 1 };
    await table.write(put(item));
  }
  return pointers.length < mostObjects
    ? undefined
    : `Git LFS: one fetch may name ${mostObjects} objects, the others are left out`;
}

/** The objects to which new files of a pack point, each object once. */
async function pointersIn({ sideFile, read }: IngestedPack): Promise<LfsPointer[]> {
  const found = new Map<string, LfsPointer>();
  const pacer = new Pacer();
  // In the pack's order, so that its file is read from front to back.
  for (const position of sideFile.order) {
    if (pacer.isDue()) await pacer.pause();
    if (sideFile.typeCodeAt(position) !== typeCodes.blob || sideFile.isAppendedAt(position)) continue;
    const size = sideFile.sizeAt(position);
    if (size < leastPointerBytes || size > mostPointerBytes) continue;
    const blob = await read(sideFile.idAt(position).toString("hex"));
    const pointer = blob && readLfsPointer(blob.data);
    if (pointer !== undefined) found.set(pointer.oid, pointer);
    if (found.size >= mostObjects) break;
  }
  return [...found.values()];
}
