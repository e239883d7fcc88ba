import { nowSeconds } from "../../clock.ts";
import { manySteps } from "../../concurrency/pacer.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { entryPath, fileMode } from "../../git/format/tree.ts";
import { History } from "../../git/history/history.ts";
import type { Version } from "../../git/merge/merge-file.ts";
import { packOfNew } from "../../git/merge/new-objects.ts";
import { writeCommit } from "../../git/merge/write-commit.ts";
import { editTree } from "../../git/merge/write-tree.ts";
import type { NewPack } from "../../git/pack/new-pack.ts";
import { PackSet } from "../../git/pack/pack-set.ts";
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
): Promise<FirstCommit> {
  const { name, description } = repository;
  // As in the family's template, which ends with the description.
  const text = `# ${name}\n\n${description}`;
  const readme = { path: entryPath("README.md"), mode: fileMode, content: Buffer.from(text) };
  return createCommitOf(forge, repository, author, [readme, ...others]);
}

/** A commit without parents that holds these files, by `author`. Unprocessable when git would refuse one of them. */
export async function createCommitOf(
  forge: Forge,
  { objectFormat }: Repository,
  author: User,
  files: readonly FirstFile[],
): Promise<FirstCommit> {
  const history = new History(new PackSet(objectFormat, []), { compute: forge.compute });
  const edits = new Map<string, Version>();
  for (const { path, mode, content } of files) {
    const id = "submodule" in content ? content.submodule : history.add("blob", content);
    edits.set(path, { mode, id });
    await history.pace(manySteps);
  }
  const identity = {
    name: author.fullName || author.name,
    email: commitEmail(forge.config, author),
    seconds: nowSeconds(forge.clock),
    timezone: "+0000",
  };
  const id = await writeCommit(history, {
    tree: await editTree(history, undefined, edits),
    parents: [],
    author: identity,
    committer: identity,
    message: "Initial commit\n",
  });
  return { id, pack: await packOfNew(history, [id]) };
}
