import type { GitObject } from "../format/object-type.ts";
import { wholeEntry } from "./create-pack.ts";
import { PackCopy, type PackWriteContext } from "./pack-copy.ts";
import { PackOutput } from "./pack-output.ts";
import { countSelected, type PackSelection } from "./pack-selection.ts";
import type { PackSet, Place } from "./pack-set.ts";

/** The objects of a pack, and its receiver. */
export interface WritePackOptions {
  packSet: PackSet;
  /** No object twice. */
  selection: readonly PackSelection[];
  /** Objects the client has, as `packSet.find` names them: deltas against them make the pack thin. */
  thinBases?: { has(place: Place): boolean };
  /** False when the client didn't offer ofs-delta. */
  useOfsDelta: boolean;
  /** Objects that no pack has yet, to go out after the others. */
  beside?: readonly GitObject[];
}

/**
 * A pack of the selected objects in pieces, made of the stored bytes: deltas stay deltas when their base is sent too or
 * the client has it. A single whole pack is sent as it is stored.
 */
export async function* writePack(options: WritePackOptions): AsyncGenerator<Uint8Array> {
  const { packSet, selection, useOfsDelta, beside = [] } = options;
  const only = selection.length === 1 && beside.length === 0 ? selection[0] : undefined;
  const onlyPack = only?.positions === "all" && useOfsDelta ? packSet.packs[only.pack] : undefined;
  if (onlyPack !== undefined) {
    yield* onlyPack.blocks.stream({ start: 0, end: onlyPack.entry.packBytes });
    return;
  }
  const output = new PackOutput(packSet.format, countSelected(packSet, selection) + beside.length);
  const context: PackWriteContext = { ...options, output, copies: new Map() };
  for (const part of selection) {
    const copy = new PackCopy(context, part);
    context.copies.set(part.pack, copy);
    yield* copy.run();
  }
  for (const object of beside) output.write(wholeEntry(object));
  output.finish();
  yield* output.take();
}
