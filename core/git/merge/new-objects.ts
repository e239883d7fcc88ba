import { parseCommitLinks } from "../graph/commit-links.ts";
import { type MadePack, packThere } from "../make-pack.ts";
import type { ObjectId } from "../object/object-format.ts";
import type { GitObject } from "../object/object-type.ts";
import { parseTag } from "../object/tag.ts";
import { gitlinkMode, parseTree } from "../object/tree.ts";
import type { History } from "../walk/history.ts";

/** The added objects that some others lead to, themselves included: commits and tags, then trees, then blobs. */
export function newObjects(history: History, roots: readonly ObjectId[]): GitObject[] {
  const found = new Map<ObjectId, GitObject>();
  const stack = [...roots];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const object = history.addedObject(id);
    if (object === undefined || found.has(id)) continue;
    found.set(id, object);
    stack.push(...namedBy(history, object));
  }
  const order = ["commit", "tag", "tree", "blob"];
  return [...found.values()].sort((left, right) => order.indexOf(left.type) - order.indexOf(right.type));
}

function namedBy({ format }: History, { type, data }: GitObject): ObjectId[] {
  if (type === "commit") {
    const { tree, parents } = parseCommitLinks(data);
    return [tree, ...parents];
  }
  if (type === "tag") return [parseTag(data).object];
  if (type === "blob") return [];
  return parseTree(format, data).flatMap(({ mode, id }) => ((mode & 0o170000) === gitlinkMode ? [] : [id]));
}

/** A pack of the objects made for new tips, for `commitPush`. Unprocessable when git would refuse one of them. */
export const packOfNew = (history: History, tips: readonly ObjectId[]): Promise<MadePack> =>
  packThere(history, newObjects(history, tips));
