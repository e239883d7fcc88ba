import { checkObject } from "./object/check.ts";
import type { ObjectFormat, ObjectId } from "./object/object-format.ts";
import type { GitObject } from "./object/object-type.ts";
import { createPack } from "./pack/create-pack.ts";
import type { NewPack } from "./push.ts";

/** A pack of objects that the service makes itself, for `commitPush`; `ids` are theirs, in the order given. */
export interface MadePack extends NewPack {
  readonly ids: readonly ObjectId[];
}

/** Packs new objects. Throws when git would call one of them broken. */
export function makePack(format: ObjectFormat, objects: readonly GitObject[]): MadePack {
  const { pack, side, ids, objectCount } = createPack(format, objects);
  const named = new Set<ObjectId>();
  const sink = {
    addReference(bytes: Uint8Array, at: number) {
      named.add(Buffer.from(bytes.subarray(at, at + (ids[0] as string).length / 2)).toString("hex"));
    },
    addGitmodules: () => undefined,
  };
  for (const { type, data } of objects) {
    const wrong = checkObject(format, type, data, sink);
    if (wrong !== undefined) throw new Error(`can't store a ${type}: ${wrong.message}`);
  }
  const own = new Map(ids.map((id, index) => [id, objects[index] as GitObject]));
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
