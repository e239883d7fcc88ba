import { runIndex } from "../../actions/run/run.index.ts";
import { artifactIndex } from "../../artifact/artifact.index.ts";
import { issueIndex } from "../../issue/issue.index.ts";
import type { FindListIndex } from "../../list-index/jobs.ts";
import type { ListIndexPlace } from "../../list-index/view.ts";
import { ownerIndex } from "../../owner/owner.index.ts";
import { packageIndex } from "../../package/package.index.ts";
import { releaseIndex } from "../../release/release.index.ts";
import { repositoryIndex } from "../../repository/repository.index.ts";

/** The list indexes that the instance has once. */
const instanceIndexes: readonly ListIndexPlace[] = [repositoryIndex, ownerIndex];

/** The list indexes that each repository has. */
export const indexesOfRepository = (repositoryId: number): readonly ListIndexPlace[] => [
  issueIndex(repositoryId),
  releaseIndex(repositoryId),
  artifactIndex(repositoryId),
  runIndex(repositoryId),
];

/** The list indexes that each owner has. */
export const indexesOfOwner = (ownerId: number): readonly ListIndexPlace[] => [packageIndex(ownerId)];

/** The list index of this name, such as `users-0` or `issues-12`. */
export const listIndexNamed: FindListIndex = (name) => {
  const id = Number(/^[a-z]+-(\d{1,15})$/.exec(name)?.[1] ?? 0);
  const index = [...instanceIndexes, ...indexesOfRepository(id), ...indexesOfOwner(id)].find(
    (one) => one.name === name,
  );
  if (index === undefined) throw new Error(`no list index is named ${name}`);
  return index;
};
