import { expect, it } from "vitest";
import { serializeCommit } from "#core/git/format/commit";
import type { ObjectId } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { directoryMode, fileMode, serializeTree } from "#core/git/format/tree";
import { selectObjects } from "#core/git/history/select/select-objects";
import { packsOf } from "#tests/git/memory/pack-sets";
import { makePack } from "#tests/support/git/make-pack";

const idOf = (object: GitObject): ObjectId => makePack("sha1", [object]).ids[0] as ObjectId;
const blob = (text: string): GitObject => ({ type: "blob", data: Buffer.from(text) });
const tree = (entries: Record<string, GitObject>): GitObject => ({
  type: "tree",
  data: serializeTree(
    Object.entries(entries).map(([path, object]) => ({
      mode: object.type === "tree" ? directoryMode : fileMode,
      path,
      id: idOf(object),
    })),
  ),
});
function commit(root: GitObject, seconds: number, parents: ObjectId[] = []): GitObject {
  const identity = { name: "Ada", email: "ada@example.org", seconds, timezone: "+0000" };
  const rest = { author: identity, committer: identity, extraHeaders: [], message: Buffer.from("m\n") };
  return { type: "commit", data: serializeCommit({ tree: idOf(root), parents, ...rest }) };
}

it("a tree that goes away and comes back under clocks that run backwards is sent with all it holds", async () => {
  const [same, first, other] = [blob("same\n"), blob("first\n"), blob("other\n")];
  const folder = tree({ same, changing: first });
  const changed = tree({ same, changing: other });
  const [root, changedRoot] = [tree({ folder }), tree({ folder: changed })];
  const oldest = commit(root, 3_000);
  const middle = commit(changedRoot, 2_000, [idOf(oldest)]);
  const newest = commit(root, 1_000, [idOf(middle)]);
  const objects = [same, first, other, folder, changed, root, changedRoot, oldest, middle, newest];
  const packs = await packsOf("sha1", objects);
  const { chosen } = await selectObjects({ packs, wants: [idOf(newest), idOf(oldest)], haves: [] });
  expect([...chosen].map((place) => packs.idOf(place)).sort()).toEqual(objects.map(idOf).sort());
});
