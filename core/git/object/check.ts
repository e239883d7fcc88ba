import { checkCommit, checkTag } from "./check-headers.ts";
import { checkTree, type ReferenceSink } from "./check-tree.ts";
import type { ObjectFormat } from "./object-format.ts";
import type { ObjectType } from "./object-type.ts";
import type { ObjectProblem } from "./problem.ts";
import { sinkHeaderReferences } from "./references.ts";

/**
 * What keeps a new object out of a repository, or undefined: the errors of `git fsck`, and those of its warnings
 * that endanger a checkout. A sound object's references go to the sink (gitlinks excepted).
 */
export function checkObject(
  format: ObjectFormat,
  type: ObjectType,
  data: Buffer,
  sink?: ReferenceSink,
): ObjectProblem | undefined {
  if (type === "blob") return undefined;
  if (type === "tree") return checkTree(format, data, sink);
  const wrong = type === "commit" ? checkCommit(format, data) : checkTag(format, data);
  if (wrong === undefined && sink !== undefined) sinkHeaderReferences(format, type, data, sink);
  return wrong;
}
