import { serializeCommit } from "#core/git/format/commit";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { serializeTag } from "#core/git/format/tag";
import { fileMode, serializeTree } from "#core/git/format/tree";
import type { MadePack } from "#core/git/pack/make-pack";
import { makePack } from "#tests/support/git/make-pack";

/** A commit with a tree of one file, as a pack of three objects. */
export interface MadeCommit {
  readonly id: ObjectId;
  readonly treeId: ObjectId;
  readonly pack: MadePack;
  readonly objects: readonly GitObject[];
}

const identity = (seconds: number) => ({ name: "Ada", email: "ada@example.org", seconds, timezone: "+0100" });
let seconds = 1_700_000_000;

/** Makes a commit that differs from every other. */
export function makeCommit(
  format: ObjectFormat,
  parents: readonly ObjectId[] = [],
  message = "A subject\n\nand a body\n",
): MadeCommit {
  seconds += 60;
  const blob: GitObject = { type: "blob", data: Buffer.from(`content at ${seconds}\n`) };
  const [blobId = ""] = makePack(format, [blob]).ids;
  const tree: GitObject = {
    type: "tree",
    data: serializeTree([{ mode: fileMode, path: "file.txt", id: blobId }]),
  };
  const [treeId = ""] = makePack(format, [tree]).ids;
  const commit: GitObject = {
    type: "commit",
    data: serializeCommit({
      tree: treeId,
      parents: [...parents],
      author: identity(seconds - 5),
      committer: identity(seconds),
      extraHeaders: [],
      message: Buffer.from(message),
    }),
  };
  const objects = [commit, tree, blob];
  const pack = makePack(format, objects);
  return { id: pack.ids[0] as ObjectId, treeId, pack, objects };
}

/** An annotated tag as an object. */
export const makeTag = (target: ObjectId, type: GitObject["type"] = "commit"): GitObject => ({
  type: "tag",
  data: serializeTag({
    object: target,
    type,
    name: "v1",
    tagger: identity(1_700_000_000),
    extraHeaders: [],
    message: Buffer.from("a tag\n"),
  }),
});
