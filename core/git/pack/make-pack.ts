import type { CallersCompute } from "../../compute/compute.ts";
import { TaskEnded } from "../../compute/task.ts";
import { unprocessable } from "../../errors.ts";
import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import type { GitObject } from "../format/object-type.ts";
import { makePackTask, type PackedObjects } from "./make-pack-task.ts";
import type { NewPack } from "./new-pack.ts";
import { hasSortedId } from "./sort-ids.ts";

/** A pack of objects that the service makes itself, for `commitPush`; `ids` are theirs, in the order given. */
export interface MadePack extends NewPack {
  readonly ids: readonly ObjectId[];
  readonly content: Buffer;
}

/**
 * Packs new objects that the service makes, on a thread when it takes long. Unprocessable when git would refuse one of
 * them, by the checks of a pushed pack: people write their names and texts.
 */
export async function packThere(
  { format, compute }: { readonly format: ObjectFormat; readonly compute: CallersCompute },
  objects: readonly GitObject[],
): Promise<MadePack> {
  const packed = await compute(makePackTask, { format, objects }).catch((error: unknown) => {
    throw error instanceof TaskEnded
      ? unprocessable("this takes too long to write: push it with git")
      : error;
  });
  return madePack(packed, objects);
}

/** A pack of objects as they were packed. Unprocessable when git would refuse one of them. */
export function madePack(packed: PackedObjects, objects: readonly GitObject[]): MadePack {
  if ("problem" in packed) throw unprocessable(`git would refuse this: ${packed.problem}`);
  const { pack, side, ids, objectCount, elsewhere, unreferenced } = packed;
  const own = new Map(ids.map((id, index) => [id, objects[index] as GitObject]));
  return {
    ids,
    packBytes: pack.length,
    objects: objectCount,
    side,
    content: pack,
    read: async (id) => own.get(id),
    refersTo: (id) => hasSortedId(elsewhere, Buffer.from(id, "hex")),
    unreferenced,
  };
}
