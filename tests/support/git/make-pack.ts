import type { ObjectFormat } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { type MadePack, madePack } from "#core/git/pack/make-pack";
import { checkAndPack } from "#core/git/pack/make-pack-task";

/** A pack of some objects, at once and without a thread. */
export const makePack = (format: ObjectFormat, objects: readonly GitObject[]): MadePack =>
  madePack(checkAndPack({ format, objects }), objects);
