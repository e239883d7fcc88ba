import type { ReferenceSink } from "./check-tree.ts";
import { type ObjectFormat, objectIdBytes, objectIdLength } from "./object-format.ts";
import { isObjectType, typeCodes } from "./object-type.ts";

const space = 0x20;
const lowerA = 0x61;

/** Tells the sink the references of a readable commit (tree, parents) or tag (its object). */
export function sinkHeaderReferences(
  format: ObjectFormat,
  type: "commit" | "tag",
  data: Buffer,
  sink: ReferenceSink,
): void {
  const id = Buffer.allocUnsafe(objectIdBytes(format));
  const hexLength = objectIdLength(format);
  if (type === "tag") {
    readHex(data, "object ".length, id);
    const word =
      data.toString("latin1", "object ".length + hexLength + 1 + "type ".length).split("\n", 1)[0] ?? "";
    sink.addReference(id, 0, isObjectType(word) ? typeCodes[word] : 0);
    return;
  }
  readHex(data, "tree ".length, id);
  sink.addReference(id, 0, typeCodes.tree);
  let at = "tree ".length + hexLength + 1;
  // "parent " and "author " differ in their first letter.
  while (data[at] === 0x70 && data[at + 6] === space) {
    readHex(data, at + "parent ".length, id);
    sink.addReference(id, 0, typeCodes.commit);
    at += "parent ".length + hexLength + 1;
  }
}

function readHex(data: Buffer, at: number, id: Buffer): void {
  for (let i = 0; i < id.length; i++) {
    id[i] = (nibble(data[at + i * 2] as number) << 4) | nibble(data[at + i * 2 + 1] as number);
  }
}

const nibble = (digit: number): number => (digit >= lowerA ? digit - lowerA + 10 : digit - 0x30);
