import type { ObjectFormat, ObjectId } from "../object/object-format.ts";
import type { GitObject } from "../object/object-type.ts";

/** A pack of whole objects for commits the server makes itself; doubles among the objects are written once. */
export function createPack(
  _format: ObjectFormat,
  _objects: readonly GitObject[],
): { pack: Buffer; side: Buffer; ids: ObjectId[] } {
  throw new Error("not built");
}
