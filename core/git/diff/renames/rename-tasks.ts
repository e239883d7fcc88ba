import type { Task } from "../../../compute/task.ts";
import type { ObjectId } from "../../format/object-format.ts";
import { wholeSimilarity } from "../file-change.ts";
import { copiedBytes, type Fingerprint, fingerprintOf, sizesRuleOut } from "./similarity.ts";

const deadlineMs = 10_000;
const smallBytes = 256 * 1024;

/** The fingerprint of a file, for finding its renames. */
export const fingerprintTask: Task<{ readonly data: Buffer; readonly isText: boolean }, Fingerprint> = {
  name: "fingerprint",
  deadlineMs,
  isSmall: ({ data }) => data.length <= smallBytes,
  run: ({ data, isText }) => fingerprintOf(data, isText),
};

/** A file whose content is compared with others. */
export interface ComparedFile extends Fingerprint {
  readonly id: ObjectId;
  readonly sizeBytes: number;
}

/** Removed and added files, undefined for files that resemble none; the least similarity that counts. */
export interface FilesToCompare {
  readonly sources: readonly (ComparedFile | undefined)[];
  readonly targets: readonly (ComparedFile | undefined)[];
  readonly least: number;
}

/** Steps of comparing fingerprints that take a few milliseconds. */
const fewSteps = 1_000_000;

/**
 * The similarity of each target to each source, in parts of `wholeSimilarity`: target by target, all sources of each.
 */
export const similaritiesTask: Task<FilesToCompare, Uint32Array> = {
  name: "similarities",
  deadlineMs,
  isSmall: ({ sources, targets }) =>
    kindsOf(sources) * targets.length + kindsOf(targets) * sources.length <= fewSteps,
  run({ sources, targets, least }) {
    const similarities = new Uint32Array(sources.length * targets.length);
    for (const [row, target] of targets.entries()) {
      for (const [column, source] of sources.entries()) {
        similarities[row * sources.length + column] = similarityOf(source, target, least);
      }
    }
    return similarities;
  },
};

const kindsOf = (files: readonly (ComparedFile | undefined)[]): number =>
  files.reduce((sum, file) => sum + (file?.kinds.length ?? 0), 0);

/**
 * The part of the larger of two files that is in both, in parts of `wholeSimilarity`; 0 when their sizes alone rule it
 * out.
 */
export function similarityOf(
  source: ComparedFile | undefined,
  target: ComparedFile | undefined,
  least: number,
): number {
  if (source === undefined || target === undefined) return 0;
  const sizes = [source.sizeBytes, target.sizeBytes] as const;
  if (sizesRuleOut(...sizes, least)) return 0;
  if (source.id === target.id) return wholeSimilarity;
  if (target.sizeBytes === 0) return 0;
  return Math.floor((copiedBytes(source, target) * wholeSimilarity) / Math.max(...sizes));
}
