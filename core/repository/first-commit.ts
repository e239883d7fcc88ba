import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { serializeCommit } from "../git/object/commit.ts";
import { type ObjectFormat, type ObjectId, objectIdOf } from "../git/object/object-format.ts";
import type { GitObject } from "../git/object/object-type.ts";
import { entryPath, fileMode, serializeTree } from "../git/object/tree.ts";
import { createPack } from "../git/pack/create-pack.ts";
import type { NewPack } from "../git/push.ts";
import type { User } from "../user/user.table.ts";
import { commitEmail } from "../user/user.ts";
import type { Repository } from "./repository.table.ts";

/** A commit that is not stored yet, with the pack that holds all of its objects. */
export interface FirstCommit {
  readonly id: ObjectId;
  readonly pack: NewPack;
}

/** The commit that a repository may begin with: a README with its name and description, by `author`. */
export function createFirstCommit(
  forge: Forge,
  { name, description, objectFormat }: Repository,
  author: User,
): FirstCommit {
  const text = description === "" ? `# ${name}\n` : `# ${name}\n\n${description}\n`;
  const blob: GitObject = { type: "blob", data: Buffer.from(text) };
  const blobId = objectIdOf(objectFormat, "blob", blob.data);
  const tree: GitObject = {
    type: "tree",
    data: serializeTree([{ mode: fileMode, path: entryPath("README.md"), id: blobId }]),
  };
  const identity = {
    name: author.fullName || author.name,
    email: commitEmail(forge.config, author),
    seconds: nowSeconds(forge.clock),
    timezone: "+0000",
  };
  const commit: GitObject = {
    type: "commit",
    data: serializeCommit({
      tree: objectIdOf(objectFormat, "tree", tree.data),
      parents: [],
      author: identity,
      committer: identity,
      extraHeaders: [],
      message: Buffer.from("Initial commit\n"),
    }),
  };
  const id = objectIdOf(objectFormat, "commit", commit.data);
  return { id, pack: packOf(objectFormat, id, [commit, tree, blob]) };
}

/** A pack of objects that lead to each other and to nothing else, from `tip` on. */
function packOf(format: ObjectFormat, tip: ObjectId, objects: readonly GitObject[]): NewPack {
  const { pack, side, objectCount } = createPack(format, objects);
  const byId = new Map(objects.map((object) => [objectIdOf(format, object.type, object.data), object]));
  return {
    packBytes: pack.length,
    objects: objectCount,
    side,
    content: pack,
    read: async (id) => byId.get(id),
    refersTo: () => false,
    unreferenced: [tip],
  };
}
