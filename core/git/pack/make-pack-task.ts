import type { Task } from "../../compute/task.ts";
import { checkObject } from "../format/check.ts";
import { checkGitmodules } from "../format/check-gitmodules.ts";
import type { ReferenceSink } from "../format/check-tree.ts";
import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import type { GitObject } from "../format/object-type.ts";
import { createPack } from "./create-pack.ts";

/** New objects to be packed. */
export interface ObjectsToPack {
  readonly format: ObjectFormat;
  readonly objects: readonly GitObject[];
}

/** Their pack, or why git would refuse one of them. */
export type PackedObjects =
  | {
      readonly pack: Buffer;
      readonly side: Buffer;
      /** In the order of the objects. */
      readonly ids: readonly ObjectId[];
      readonly objectCount: number;
      /** Objects that the pack's objects name and the pack lacks: binary ids end to end, in their order. */
      readonly elsewhere: Buffer;
      /** Objects that no object of the pack names. */
      readonly unreferenced: readonly ObjectId[];
    }
  | { readonly problem: string };

const small = { bytes: 128 * 1024, objects: 100 };

/** Checks and packs new objects. */
export const makePackTask: Task<ObjectsToPack, PackedObjects> = {
  name: "make-pack",
  deadlineMs: 10_000,
  isSmall: ({ objects }) =>
    objects.length <= small.objects && objects.reduce((sum, { data }) => sum + data.length, 0) <= small.bytes,
  // Bytes inside of members arrive as plain ones.
  run: ({ format, objects }) =>
    checkAndPack({ format, objects: objects.map(({ type, data }) => ({ type, data: bufferOf(data) })) }),
};

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, length);

/** The task's work. */
export function checkAndPack({ format, objects }: ObjectsToPack): PackedObjects {
  const { pack, side, ids, objectCount } = createPack(format, objects);
  const own = new Map(ids.map((id, index) => [id, objects[index] as GitObject]));
  const named = new Set<ObjectId>();
  const gitmodules = new Set<ObjectId>();
  const idAt = (bytes: Uint8Array, at: number) =>
    Buffer.from(bytes.subarray(at, at + (ids[0] as string).length / 2)).toString("hex");
  const sink: ReferenceSink = {
    addReference: (bytes, at) => named.add(idAt(bytes, at)),
    addGitmodules: (bytes, at) => gitmodules.add(idAt(bytes, at)),
  };
  for (const { type, data } of objects) {
    const wrong = checkObject(format, type, data, sink);
    if (wrong !== undefined) return { problem: wrong.message };
  }
  for (const id of gitmodules) {
    const wrong = checkGitmodules(own.get(id)?.data ?? Buffer.alloc(0));
    if (wrong !== undefined) return { problem: wrong.message };
  }
  const outside = [...named].filter((id) => !own.has(id)).sort();
  const elsewhere = Buffer.from(outside.join(""), "hex");
  const unreferenced = [...own.keys()].filter((id) => !named.has(id));
  return { pack, side, ids, objectCount, elsewhere, unreferenced };
}
