import { verifyAll } from "../code/code.ts";
import type { Forge } from "../forge.ts";
import { parseCommitLinks } from "../git/graph/commit-links.ts";
import { commitSignature, parseCommit } from "../git/object/commit.ts";
import { emptyTreeId, type ObjectId } from "../git/object/object-format.ts";
import { directoryMode, entryName, parseTree, type TreeEntry } from "../git/object/tree.ts";
import type { PushedObjects } from "../git/push.ts";

const most = { commits: 5_000, paths: 20_000, trees: 20_000 };

/** Whether a push brings a commit whose signature does not hold; so it counts beyond 5,000 commits. */
export async function hasUnsignedCommits(
  forge: Forge,
  objects: PushedObjects,
  tip: ObjectId,
): Promise<boolean> {
  const seen = new Set<ObjectId>();
  const stack = [tip];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const object = seen.has(id) ? undefined : await objects.readNew(id);
    seen.add(id);
    if (object?.type !== "commit") continue;
    if (seen.size > most.commits) return true;
    const header = objects.format === "sha1" ? "gpgsig" : "gpgsig-sha256";
    const signed = commitSignature(object.data, header);
    const { email } = parseCommit(object.data).committer;
    const [verification] = await verifyAll(forge, [signed && { ...signed, email }]);
    if (verification?.isVerified !== true) return true;
    stack.push(...parseCommitLinks(object.data).parents);
  }
  return false;
}

/** Paths under which two commits differ; undefined when they are too many to look at. */
export async function changedPaths(
  objects: PushedObjects,
  before: ObjectId | undefined,
  after: ObjectId,
): Promise<readonly string[] | undefined> {
  const stack = [{ prefix: "", old: await treeOf(objects, before), fresh: await treeOf(objects, after) }];
  const paths: string[] = [];
  let trees = 0;
  for (let open = stack.pop(); open !== undefined; open = stack.pop()) {
    trees += 1;
    if (trees > most.trees || paths.length > most.paths) return undefined;
    const [left, right] = [await entriesOf(objects, open.old), await entriesOf(objects, open.fresh)];
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      const [old, fresh] = [left.get(name), right.get(name)];
      if (old?.id === fresh?.id && old?.mode === fresh?.mode) continue;
      const path = open.prefix + entryName(name);
      const isFolder = (entry: TreeEntry | undefined) => entry?.mode === directoryMode;
      if (isFolder(old) || isFolder(fresh)) {
        const folder = (entry: TreeEntry | undefined) => (isFolder(entry) ? entry?.id : undefined);
        stack.push({ prefix: `${path}/`, old: folder(old), fresh: folder(fresh) });
      }
      if ((old && !isFolder(old)) || (fresh && !isFolder(fresh))) paths.push(path);
    }
  }
  return paths;
}

async function treeOf(objects: PushedObjects, id: ObjectId | undefined): Promise<ObjectId | undefined> {
  const object = id === undefined ? undefined : await objects.read(id);
  return object?.type === "commit" ? parseCommitLinks(object.data).tree : undefined;
}

async function entriesOf(objects: PushedObjects, id: ObjectId | undefined): Promise<Map<string, TreeEntry>> {
  if (id === undefined || id === emptyTreeId(objects.format)) return new Map();
  const object = await objects.read(id);
  if (object === undefined) throw new Error(`tree ${id} is missing`);
  return new Map(parseTree(objects.format, object.data).map((entry) => [entry.path, entry]));
}
