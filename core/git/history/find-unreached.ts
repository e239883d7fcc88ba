import { Pacer } from "../../concurrency/pacer.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { GitObject } from "../format/object-type.ts";
import { nextLinks } from "./commit-links.ts";
import { DateQueue } from "./date-queue.ts";

/** Looks an object up; undefined when it is not there. */
export type ReadObject = (id: ObjectId) => Promise<GitObject | undefined>;

/** Whether the answer is certain: `unknown` when the bound was met first. */
export type Reached = "all" | "not-all" | "unknown";

/**
 * Whether every target (a commit or tag) is one of the tips or leads from one; looks at no more than `limit` objects,
 * newest first. Trees and blobs lead nowhere.
 */
export async function reachesAll(
  read: ReadObject,
  tips: readonly ObjectId[],
  targets: readonly ObjectId[],
  limit: number,
): Promise<Reached> {
  const { missing, isCertain } = await findUnreached(read, tips, targets, limit);
  if (missing.size === 0) return "all";
  return isCertain ? "not-all" : "unknown";
}

/** The targets that one walk for all of them did not meet; not certain when the bound ended it. */
export async function findUnreached(
  read: ReadObject,
  tips: readonly ObjectId[],
  targets: readonly ObjectId[],
  limit: number,
): Promise<{ readonly missing: ReadonlySet<ObjectId>; readonly isCertain: boolean }> {
  const missing = new Set(targets);
  const seen = new Set<ObjectId>();
  const queue = new DateQueue<readonly ObjectId[]>();
  const pacer = new Pacer();
  const visit = async (id: ObjectId) => {
    if (pacer.isDue()) await pacer.pause();
    if (seen.has(id)) return;
    seen.add(id);
    missing.delete(id);
    const object = await read(id);
    const links = object && nextLinks(object);
    if (links === undefined) return;
    pacer.note(links.parents.length);
    queue.push(links.seconds, links.parents);
  };
  for (const tip of tips) await visit(tip);
  while (missing.size > 0 && queue.size > 0) {
    if (seen.size > limit) return { missing, isCertain: false };
    for (const parent of queue.pop() ?? []) await visit(parent);
  }
  return { missing, isCertain: true };
}
