import type { JobKind } from "../jobs/job.ts";
import { fold } from "./internal/fold.ts";
import { issueDirectory } from "./issues.ts";
import { readPointer } from "./pointer.ts";
import { rebuildDirectory } from "./rebuild.ts";
import { repositoryDirectory } from "./repositories.ts";
import { userDirectory } from "./users.ts";
import type { DirectoryPlace } from "./view.ts";

/** The list index of this name; undefined when there is none. */
export function directoryNamed(name: string): DirectoryPlace | undefined {
  const all: readonly DirectoryPlace[] = [repositoryDirectory, userDirectory];
  const [, repositoryId] = /^issues-(\d+)$/.exec(name) ?? [];
  return repositoryId === undefined
    ? all.find((directory) => directory.name === name)
    : issueDirectory(Number(repositoryId));
}

/** How often another compaction was faster than this run's. */
interface FoldCursor {
  readonly lost: number;
}

const mostLost = 5;

/** Compacts a list index until its delta was taken in once: writes meanwhile wait for the next time. */
export const foldDirectory: JobKind<{ readonly name: string }, FoldCursor> = {
  async step(forge, { name }, cursor = { lost: 0 }) {
    const directory = directoryNamed(name);
    if (directory === undefined) throw new Error(`no directory is named ${name}`);
    const { outcome, left } = await fold(forge, directory);
    const lost = cursor.lost + (outcome === "lost" ? 1 : 0);
    const isDone = outcome === "lost" ? lost > mostLost : left === 0;
    return isDone ? { done: true } : { cursor: { lost } };
  },
};

/** Rebuilds a list index whose manifest can't be read. Nothing is lost, because it is derived from the items. */
export const rebuildDamaged: JobKind<{ readonly name: string }, never> = {
  async step(forge, { name }) {
    const directory = directoryNamed(name);
    if (directory === undefined) throw new Error(`no directory is named ${name}`);
    const { isDamaged } = await readPointer(forge, directory);
    if (isDamaged === true) await rebuildDirectory(forge, directory);
    return { done: true };
  },
};
