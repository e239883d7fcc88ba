import { checkCommit, checkTag } from "./check-headers.ts";
import { checkTree, type ReferenceSink } from "./check-tree.ts";
import type { ObjectFormat } from "./object-format.ts";
import type { ObjectType } from "./object-type.ts";
import { type ObjectProblem, problem } from "./problem.ts";
import { sinkHeaderReferences } from "./references.ts";

/** The largest commit or tag in bytes: lists, hooks and walks read many of them at a time. */
export const largestCommitBytes = 2 ** 20;

/**
 * Why a new object may not enter a repository, or undefined: the errors of `git fsck`, those of its warnings that
 * endanger a checkout, and commits and tags beyond a size that no honest one has. A sound object's references go to the
 * sink (gitlinks excepted).
 */
export function checkObject(
  format: ObjectFormat,
  type: ObjectType,
  data: Buffer,
  sink?: ReferenceSink,
): ObjectProblem | undefined {
  if (type === "blob") return undefined;
  if (type === "tree") return checkTree(format, data, sink);
  if (data.length > largestCommitBytes) {
    return problem("largeCommit", `a ${type} of more than ${largestCommitBytes} bytes`);
  }
  const wrong = type === "commit" ? checkCommit(format, data) : checkTag(format, data);
  if (wrong === undefined && sink !== undefined) sinkHeaderReferences(format, type, data, sink);
  return wrong;
}
