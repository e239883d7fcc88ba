import { type ObjectId, objectIdBytes } from "../format/object-format.ts";
import type { GitObject } from "../format/object-type.ts";
import { parseTag } from "../format/tag.ts";
import { parseCommitLinks } from "../history/commit-links.ts";
import type { History } from "../history/history.ts";
import { treeLinks } from "../history/tree-links.ts";
import { type MadePack, packThere } from "../pack/make-pack.ts";

/** The added objects that some others lead to, themselves included: commits and tags, then trees, then blobs. */
export async function newObjects(history: History, roots: readonly ObjectId[]): Promise<GitObject[]> {
  const found = new Map<ObjectId, GitObject>();
  const stack = [...roots];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const object = history.addedObject(id);
    if (object === undefined || found.has(id)) continue;
    found.set(id, object);
    for (const named of namedBy(history, object)) {
      if (history.addedObject(named) !== undefined) stack.push(named);
      const pause = history.pace();
      if (pause !== undefined) await pause;
    }
  }
  const order = ["commit", "tag", "tree", "blob"];
  return [...found.values()].sort((left, right) => order.indexOf(left.type) - order.indexOf(right.type));
}

function* namedBy({ format }: History, { type, data }: GitObject): Generator<ObjectId> {
  if (type === "commit") {
    const { tree, parents } = parseCommitLinks(data);
    yield tree;
    yield* parents;
  } else if (type === "tag") yield parseTag(data).object;
  else if (type === "tree") {
    for (const { id } of treeLinks(data, objectIdBytes(format))) yield id.toString("hex");
  }
}

/** A pack of the objects made for new tips, for `commitPush`. Unprocessable when git would refuse one of them. */
export const packOfNew = async (history: History, tips: readonly ObjectId[]): Promise<MadePack> =>
  packThere(history, await newObjects(history, tips));
