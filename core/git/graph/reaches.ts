import type { ObjectId } from "../object/object-format.ts";
import type { GitObject } from "../object/object-type.ts";
import { type CommitLinks, parseCommitLinks } from "./commit-links.ts";
import { DateQueue } from "./date-queue.ts";

/** Looks an object up; undefined when it is not there. */
export type ReadObject = (id: ObjectId) => Promise<GitObject | undefined>;

/** Whether the answer is certain: `unknown` when the bound was met first. */
export type Reached = "all" | "not-all" | "unknown";

/**
 * Whether every target commit is an ancestor of (or equal to) one of the tips, looking at no more than `limit` commits,
 * newest first. Tips that are not commits lead nowhere.
 */
export async function reachesAll(
  read: ReadObject,
  tips: readonly ObjectId[],
  targets: readonly ObjectId[],
  limit: number,
): Promise<Reached> {
  const missing = new Set(targets);
  const seen = new Set<ObjectId>();
  const queue = new DateQueue<CommitLinks>();
  const visit = async (id: ObjectId) => {
    if (seen.has(id)) return;
    seen.add(id);
    missing.delete(id);
    const object = await read(id);
    if (object?.type !== "commit") return;
    const links = parseCommitLinks(object.data);
    queue.push(links.seconds, links);
  };
  for (const tip of tips) await visit(tip);
  while (missing.size > 0 && queue.size > 0) {
    if (seen.size > limit) return "unknown";
    for (const parent of queue.pop()?.parents ?? []) await visit(parent);
  }
  return missing.size === 0 ? "all" : "not-all";
}
