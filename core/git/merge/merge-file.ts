import { TaskEnded } from "../../compute/task.ts";
import { defined } from "../../defined.ts";
import { unavailable } from "../../errors.ts";
import { isBinary } from "../diff/file-content.ts";
import { haveMoreLines } from "../diff/lines/lines.ts";
import type { ObjectId } from "../format/object-format.ts";
import { gitlinkMode, symlinkMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import type { ConflictKind } from "./conflict.ts";
import { reserveForFile } from "./merge-memory.ts";
import { mergeTextTask } from "./merge-text-task.ts";

/** A file in one of three trees. */
export interface Version {
  readonly mode: number;
  readonly id: ObjectId;
}

/** A path in three trees: 0 the base, 1 ours, 2 theirs. */
export type Stages = [Version | undefined, Version | undefined, Version | undefined];

/** Whether two versions are there and equal. */
export const isSame = (one: Version | undefined, other: Version | undefined): boolean =>
  one !== undefined && one.id === other?.id && one.mode === other.mode;

/** A file's versions: of the base and of the sides, if they have one. */
export interface Versions {
  readonly base: Version | undefined;
  readonly ours: Version;
  readonly theirs: Version;
}

/** How the marks of conflicts are written. */
export interface FileLabels {
  readonly ours: string;
  readonly theirs: string;
  readonly markerSize: number;
  /** The merge makes a base for another one: parts that can't be merged stay as in the base. */
  readonly isForBase: boolean;
}

/** The merged version, undefined when the file is removed, and why it is not clean. */
export interface MergedFile {
  readonly version: Version | undefined;
  readonly conflict?: ConflictKind;
}

/** Larger files are not merged line by line, nor three versions with more lines than this in all. */
const largestMerged = 16 * 2 ** 20;
const mostLines = 1_500_000;

/** The part of a mode that tells files, links and submodules apart. */
export const kindOfMode = (mode: number): number => mode & 0o170000;

/** Merges three versions of a file of one kind; of a submodule or link only when one side alone changed it. */
export async function mergeFile(
  history: History,
  { base, ours, theirs }: Versions,
  labels: FileLabels,
): Promise<MergedFile> {
  const isOneMode = ours.mode === theirs.mode || ours.mode === base?.mode;
  const mode = isOneMode ? theirs.mode : ours.mode;
  const modeConflict = isOneMode || theirs.mode === base?.mode ? {} : { conflict: "mode" as const };
  if (ours.id === theirs.id || ours.id === base?.id) {
    return { version: { mode, id: theirs.id }, ...modeConflict };
  }
  if (theirs.id === base?.id) return { version: { mode, id: ours.id }, ...modeConflict };
  const kind = kindOfMode(ours.mode);
  if (kind === gitlinkMode || kind === symlinkMode) {
    const conflict = kind === gitlinkMode ? "submodule" : "symlink";
    return { version: labels.isForBase ? base : { mode, id: ours.id }, conflict };
  }
  const comparable = base !== undefined && kindOfMode(base.mode) === kind ? base : undefined;
  const merged = await mergeContents(history, comparable, ours, theirs, labels);
  const conflict = merged.conflict ?? modeConflict.conflict;
  return { version: { mode, id: merged.id }, ...defined({ conflict }) };
}

async function mergeContents(
  history: History,
  base: Version | undefined,
  ours: Version,
  theirs: Version,
  labels: FileLabels,
): Promise<{ id: ObjectId; conflict?: ConflictKind }> {
  const versions = [base, ours, theirs];
  const sizes = versions.map((version) => (version === undefined ? 0 : history.sizeOf(version.id)));
  const isLarge = sizes.some((size) => size > largestMerged);
  if (!isLarge)
    await reserveForFile(
      history,
      sizes.reduce((sum, size) => sum + size),
    );
  const contents: Buffer[] = [];
  for (const version of isLarge ? [] : versions) {
    contents.push(version === undefined ? Buffer.alloc(0) : (await history.object(version.id)).data);
  }
  if (isLarge || contents.some(isBinary) || haveMoreLines(contents, mostLines)) {
    if (labels.isForBase) return { id: base?.id ?? history.add("blob", Buffer.alloc(0)) };
    return { id: ours.id, conflict: "binary" };
  }
  const [before, our, their] = contents as [Buffer, Buffer, Buffer];
  const texts = { base: before, ours: our, theirs: their, marks: labels };
  const { data, conflicts } = await history.compute(mergeTextTask, texts).catch(tooHard);
  const id = history.add("blob", data);
  if (conflicts === 0) return { id };
  return { id, conflict: base === undefined ? "add/add" : "content" };
}

function tooHard(error: unknown): never {
  if (!(error instanceof TaskEnded)) throw error;
  throw unavailable("merging a file takes too long here: merge with git and push");
}
