import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import { makePack } from "../../git/make-pack.ts";
import { serializeCommit } from "../../git/object/commit.ts";
import { type ObjectFormat, type ObjectId, objectIdOf } from "../../git/object/object-format.ts";
import type { GitObject } from "../../git/object/object-type.ts";
import { directoryMode, entryPath, fileMode, serializeTree, type TreeEntry } from "../../git/object/tree.ts";
import type { NewPack } from "../../git/push.ts";
import { commitEmail } from "../../user/email.ts";
import type { User } from "../../user/user.table.ts";
import type { Repository } from "../repository.table.ts";

/** A commit that is not stored yet, with the pack that holds all of its objects. */
export interface FirstCommit {
  readonly id: ObjectId;
  readonly pack: NewPack;
}

/** A file of a first commit. */
export interface FirstFile {
  /** Raw bytes, one character each (latin1), with slashes. */
  readonly path: string;
  readonly mode: number;
  /** A submodule has none, only its commit. */
  readonly content: Buffer | { readonly submodule: ObjectId };
}

/** The first commit of a repository: a README with its name and description, and other files, by `author`. */
export function createFirstCommit(
  forge: Forge,
  repository: Repository,
  author: User,
  others: readonly FirstFile[] = [],
): FirstCommit {
  const { name, description } = repository;
  // As in the family's template, which ends with the description.
  const text = `# ${name}\n\n${description}`;
  const readme = { path: entryPath("README.md"), mode: fileMode, content: Buffer.from(text) };
  return createCommitOf(forge, repository, author, [readme, ...others]);
}

/** A commit without parents that holds these files, by `author`. Unprocessable when git would refuse one of them. */
export function createCommitOf(
  forge: Forge,
  { objectFormat }: Repository,
  author: User,
  files: readonly FirstFile[],
): FirstCommit {
  const objects: GitObject[] = [];
  const tree = addTree(objectFormat, objects, files);
  const identity = {
    name: author.fullName || author.name,
    email: commitEmail(forge.config, author),
    seconds: nowSeconds(forge.clock),
    timezone: "+0000",
  };
  const commit: GitObject = {
    type: "commit",
    data: serializeCommit({
      tree,
      parents: [],
      author: identity,
      committer: identity,
      extraHeaders: [],
      message: Buffer.from("Initial commit\n"),
    }),
  };
  const pack = makePack(objectFormat, [commit, ...objects]);
  return { id: pack.ids[0] as ObjectId, pack };
}

/** Adds a folder's objects and those of its subfolders; answers its tree's id. */
function addTree(format: ObjectFormat, objects: GitObject[], files: readonly FirstFile[]): ObjectId {
  const add = (object: GitObject): ObjectId => {
    objects.push(object);
    return objectIdOf(format, object.type, object.data);
  };
  const entries: TreeEntry[] = [];
  const folders = new Map<string, FirstFile[]>();
  for (const { path, mode, content } of files) {
    const slash = path.indexOf("/");
    if (slash >= 0) {
      const name = path.slice(0, slash);
      const below = folders.get(name) ?? [];
      folders.set(name, below);
      below.push({ path: path.slice(slash + 1), mode, content });
    } else {
      const id = "submodule" in content ? content.submodule : add({ type: "blob", data: content });
      entries.push({ path, mode, id });
    }
  }
  for (const [path, below] of folders) {
    entries.push({ path, mode: directoryMode, id: addTree(format, objects, below) });
  }
  return add({ type: "tree", data: serializeTree(entries) });
}
