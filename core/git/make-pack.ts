import { unprocessable } from "../errors.ts";
import { checkObject } from "./object/check.ts";
import { checkGitmodules } from "./object/check-gitmodules.ts";
import type { ReferenceSink } from "./object/check-tree.ts";
import type { ObjectFormat, ObjectId } from "./object/object-format.ts";
import type { GitObject } from "./object/object-type.ts";
import type { ObjectProblem } from "./object/problem.ts";
import { createPack } from "./pack/create-pack.ts";
import type { NewPack } from "./push.ts";

/** A pack of objects that the service makes itself, for `commitPush`; `ids` are theirs, in the order given. */
export interface MadePack extends NewPack {
  readonly ids: readonly ObjectId[];
}

/**
 * Packs new objects, the one way for all that the service makes. Unprocessable when git would refuse one of them, by the
 * same checks as those of a pushed pack: what people write is in their names and texts.
 */
export function makePack(format: ObjectFormat, objects: readonly GitObject[]): MadePack {
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
  for (const { type, data } of objects) requireSound(checkObject(format, type, data, sink));
  for (const id of gitmodules) requireSound(checkGitmodules(own.get(id)?.data ?? Buffer.alloc(0)));
  return {
    ids,
    packBytes: pack.length,
    objects: objectCount,
    side,
    content: pack,
    read: async (id) => own.get(id),
    refersTo: (id) => named.has(id) && !own.has(id),
    unreferenced: [...own.keys()].filter((id) => !named.has(id)),
  };
}

function requireSound(wrong: ObjectProblem | undefined): void {
  if (wrong !== undefined) throw unprocessable(`git would refuse this: ${wrong.message}`);
}
