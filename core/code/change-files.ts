import type { Actor } from "../actor.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { conflict, type ForgeError, isForgeError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { IdentifiedCommit } from "../git/history/history.ts";
import { packOfNew } from "../git/merge/new-objects.ts";
import { writeCommit } from "../git/merge/write-commit.ts";
import { editTree } from "../git/merge/write-tree.ts";
import { checkFolders } from "../git/refs/check-changes.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { LfsFilter } from "../lfs/filter.ts";
import type { Repository } from "../repository/repository.table.ts";
import { bodyProblem } from "../text.ts";
import { authorshipOf, type GivenAuthorship, signedOff } from "./authorship.ts";
import { type Entry, largestShownFile, mostBytesTogether } from "./contents.ts";
import {
  type ChangedFile,
  FileChanges,
  type FileOperation,
  type Refusal,
  refusalOf,
  writablePath,
} from "./internal/file-changes.ts";
import { applyPatch } from "./internal/patch-changes.ts";
import { rawPath, splitPath } from "./internal/path.ts";
import { landChangesIn } from "./land.ts";
import { type Code, isCodeEmpty, openCode } from "./open.ts";
import { type Verification, verifyCommits } from "./verification.ts";

/** Files to change in one commit (semantics §36.2). */
export interface FilesChange extends GivenAuthorship {
  readonly files: readonly FileOperation[];
  /** A patch to apply instead, in the form of `git diff`. */
  readonly patch?: string;
  readonly message?: string;
  /** The default branch when absent. */
  readonly branch?: string;
  /** A branch to be made for the commit. */
  readonly newBranch?: string;
  /** The new branch may exist: it moves to the commit, whatever it held. */
  readonly isForced?: boolean;
  readonly isSignedOff?: boolean;
  readonly refusal?: Refusal;
}

/** The new commit, and the files in the order asked; undefined for deleted ones. */
export interface FilesChanged {
  readonly commit: IdentifiedCommit;
  readonly verification: Verification;
  readonly branch: string;
  readonly entries: readonly (Entry | undefined)[];
}

/**
 * Changes files of a branch in one commit, as a push of the actor. After a lost race for the branch it reads again and
 * repeats the checks: changes of other files land, and a file that changed meanwhile is a Conflict.
 */
export async function changeFiles(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  change: FilesChange,
): Promise<FilesChanged> {
  for await (const lost of attempts()) {
    const changed = await attempt(forge, repository, actor, change).catch((error: unknown) => {
      throw lost > 0 ? lostRace(error) : error;
    });
    if (changed !== undefined) return changed;
  }
  throw conflict("the branch keeps moving: read it again and repeat the change");
}

/** A problem found only after somebody else had won is reported as the race that it is. */
function lostRace(error: unknown): unknown {
  const isOfFiles =
    isForgeError(error, "invalid") || isForgeError(error, "not-found") || isForgeError(error, "bad-request");
  return isOfFiles ? conflict(`the branch moved meanwhile: ${(error as ForgeError).message}`) : error;
}

async function attempt(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  change: FilesChange,
): Promise<FilesChanged | undefined> {
  const code = await openCode(forge, repository.id);
  const { history } = code;
  const refusal = change.refusal ?? "unprocessable";
  const base = findBase(code, change, refusal);
  const tree = base.tip === undefined ? undefined : (await history.links(base.tip)).tree;
  const changes = new FileChanges(history, tree, refusal);
  const large = new LfsFilter(forge, history, tree);
  for (const file of change.files) await changes.apply(await cleaned(large, refusal, file));
  if (change.patch !== undefined) await applyPatch(history, changes, change.patch);
  const { author, committer } = authorshipOf(forge, actor, change);
  const message = messageOf(change, changes.changed);
  const id = await writeCommit(history, {
    tree: await editTree(history, tree, changes.edits),
    parents: base.tip === undefined ? [] : [base.tip],
    ...{ author, committer },
    message: change.isSignedOff === true ? signedOff(message, committer) : message,
  });
  const move = { name: branchPrefix + base.target, ...defined({ old: base.old }), new: id };
  await large.store(repository.id);
  const landed = await landChangesIn(forge, repository, actor, [move], {
    pack: await packOfNew(history, [id]),
  });
  if (landed.kind === "moved") return undefined;
  const commit = await history.commit(id);
  const [verification] = await verifyCommits(forge, history, [commit]);
  if (verification === undefined) throw new Error(`the signature of ${id} was not judged`);
  const entries = await entriesOf(code, changes.changed, commit);
  return { commit, verification, branch: base.target, entries };
}

/** A file as git keeps it. */
async function cleaned(large: LfsFilter, refusal: Refusal, file: FileOperation): Promise<FileOperation> {
  const { path, content } = file;
  if (content === undefined) return file;
  return { ...file, content: await large.clean(rawPath(writablePath(refusal, path)), content) };
}

/** The commit that is changed, and where the new one goes. */
interface Base {
  /** The commit to build on; absent in an empty repository. */
  readonly tip: ObjectId | undefined;
  readonly target: string;
  /** The target's commit now; absent when the target is to be made. */
  readonly old: ObjectId | undefined;
}

function findBase(code: Code, { branch, newBranch, isForced }: FilesChange, refusal: Refusal): Base {
  const { refs, head } = code.repository;
  const from = branch || head.slice(branchPrefix.length);
  const target = newBranch || from;
  const tip = refs.find(branchPrefix + from)?.id;
  if (tip === undefined && !isCodeEmpty(code)) throw notFound(`there is no such branch [name: ${from}]`);
  if (target === from) return { tip, target, old: tip };
  const old = refs.find(branchPrefix + target)?.id;
  if (old !== undefined) {
    if (isForced === true) return { tip, target, old };
    throw refusalOf(refusal, `branch already exists [name: ${target}]`);
  }
  const name = branchPrefix + target;
  const clash = checkFolders(refs, [{ name, entry: { name, id: tip ?? "", pusherId: 0, updatedMs: 0 } }]).get(
    name,
  );
  if (clash !== undefined) throw refusalOf(refusal, `[NewBranch]: ${clash}`);
  return { tip, target, old: undefined };
}

const verbs = { create: "Add", update: "Update", delete: "Delete" } as const;

function messageOf({ message = "", files, patch }: FilesChange, changed: readonly ChangedFile[]): string {
  const problem = bodyProblem("Message", message);
  if (problem !== undefined) throw problem;
  const given = message.trim();
  if (given !== "") return `${given}\n`;
  if (patch !== undefined) return "apply-patch\n";
  const lines = (["create", "update", "delete"] as const).flatMap((operation) => {
    const paths = changed.filter((_, at) => files[at]?.operation === operation).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${verbs[operation]} ${paths.join(", ")}`];
  });
  return `${lines.join("\n")}\n`;
}

/**
 * The files as a reader finds them now, read again only when the same content was there before. Contents together end
 * at 4 MiB (D-BIGBODY).
 */
async function entriesOf(
  { history }: Code,
  changed: readonly ChangedFile[],
  { id: commitId, commit }: IdentifiedCommit,
): Promise<(Entry | undefined)[]> {
  const entries: (Entry | undefined)[] = [];
  const lastCommit = { id: commitId, seconds: commit.committer.seconds };
  let left = mostBytesTogether;
  for (const { path, version } of changed) {
    if (version === undefined) {
      entries.push(undefined);
      continue;
    }
    const { id } = version;
    const size = history.sizeOf(id);
    const entry = { kind: "file", path, name: splitPath(path).name, id, size, lastCommit } as const;
    const isShown = size <= Math.min(left, largestShownFile);
    if (isShown) left -= size;
    const object = isShown ? (history.addedObject(id) ?? (await history.object(id))) : undefined;
    entries.push(object === undefined ? entry : { ...entry, content: object.data });
  }
  return entries;
}
