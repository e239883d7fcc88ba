import type { ObjectId } from "../object/object-format.ts";
import { nextLinks, parseCommitLinks } from "./commit-links.ts";
import { DateQueue } from "./date-queue.ts";
import type { ReadObject } from "./reaches.ts";

const mostCommits = 20_000;

/**
 * Whether every wanted commit has an ancestor among the commits that both sides have, so that negotiating further
 * would hardly shrink the pack. Walks down from the wants, newest first, no further than the oldest common commit;
 * "no" where that takes long. Wanted trees and blobs count as settled.
 */
export async function areAllBasedOn(
  read: ReadObject,
  wants: readonly ObjectId[],
  common: ReadonlySet<ObjectId>,
): Promise<boolean> {
  const oldest = await oldestDate(read, common);
  const children = new Map<ObjectId, ObjectId[]>();
  const seen = new Map<ObjectId, "leads-on" | "leads-nowhere">();
  const queue = new DateQueue<{ id: ObjectId; parents: readonly ObjectId[] }>();
  const met: ObjectId[] = [];
  const visit = async (id: ObjectId) => {
    if (seen.has(id)) return;
    if (common.has(id)) met.push(id);
    const object = common.has(id) ? undefined : await read(id);
    const links = object && nextLinks(object);
    seen.set(id, links === undefined ? "leads-nowhere" : "leads-on");
    if (links !== undefined && links.seconds >= oldest)
      queue.push(links.seconds, { id, parents: links.parents });
  };
  for (const want of wants) await visit(want);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.size > mostCommits) return false;
    for (const parent of next.parents) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [next.id]);
      else known.push(next.id);
      await visit(parent);
    }
  }
  const based = descendants(met, children);
  return wants.every((want) => based.has(want) || seen.get(want) === "leads-nowhere");
}

async function oldestDate(read: ReadObject, common: ReadonlySet<ObjectId>): Promise<number> {
  let oldest = Number.POSITIVE_INFINITY;
  for (const id of common) {
    const object = await read(id);
    if (object?.type === "commit") oldest = Math.min(oldest, parseCommitLinks(object.data).seconds);
  }
  return oldest;
}

function descendants(
  from: readonly ObjectId[],
  children: ReadonlyMap<ObjectId, readonly ObjectId[]>,
): Set<ObjectId> {
  const found = new Set<ObjectId>();
  const stack = [...from];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    stack.push(...(children.get(id) ?? []));
  }
  return found;
}
