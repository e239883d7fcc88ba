import type { Actor } from "../actor.ts";
import { defined } from "../defined.ts";
import { invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { isValidRefName } from "../git/format/check-ref-name.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { directoryMode, fileMode } from "../git/format/tree.ts";
import type { IdentifiedCommit } from "../git/history/history.ts";
import { findEntry } from "../git/history/tree-entry.ts";
import { packOfNew } from "../git/merge/new-objects.ts";
import { writeCommit } from "../git/merge/write-commit.ts";
import { editTree } from "../git/merge/write-tree.ts";
import type { Repository } from "../repository/repository.table.ts";
import { bodyProblem } from "../text.ts";
import { authorshipOf } from "./authorship.ts";
import { changeRefs, type RefsToLand } from "./land.ts";
import { type Code, getCommit } from "./open.ts";

/** A commit's note. */
export interface Note {
  readonly message: string;
  readonly commit: IdentifiedCommit;
}

const notesRef = "refs/notes/commits";
const largestNote = 2 ** 20;

/** The commit that a text names; Invalid when it could name none. */
export async function getNotedCommit(code: Code, text: string): Promise<ObjectId> {
  if (!isValidRefName(`refs/heads/${text}`)) throw invalid("Sha", `GitRefName: no ref is called ${text}`);
  return (await getCommit(code, text)).id;
}

/** The note of a commit. NotFound when it has none. */
export async function getNote(code: Code, commitId: ObjectId): Promise<Note> {
  const found = await findNote(code, commitId);
  if (found === undefined || code.history.sizeOf(found.blob) > largestNote) {
    throw notFound(`the commit has no note [sha: ${commitId}]`);
  }
  const { data } = await code.history.object(found.blob);
  return { message: data.toString("utf8"), commit: await code.history.commit(commitId) };
}

/** Writes a commit's note, replacing the one it has, as a push of the actor. */
export async function setNote(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  { sha, message }: { sha: string; message: string },
): Promise<Note> {
  const problem = bodyProblem("Message", message);
  if (problem !== undefined) throw problem;
  return changeRefs(forge, repository, actor, async (code) => {
    const commitId = await getNotedCommit(code, sha);
    const id = code.history.add("blob", Buffer.from(message));
    const path = (await findNote(code, commitId))?.path ?? commitId;
    const edits = new Map([[path, { mode: fileMode, id }]]);
    const change = await notesCommit(forge, actor, { code, edits, message: "Notes added through the API" });
    return { ...change, result: { message, commit: await code.history.commit(commitId) } };
  });
}

/** Takes the note of a commit away. NotFound when it has none. */
export async function removeNote(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  sha: string,
): Promise<void> {
  return changeRefs(forge, repository, actor, async (code) => {
    const commitId = await getNotedCommit(code, sha);
    const found = await findNote(code, commitId);
    if (found === undefined) throw notFound(`the commit has no note [sha: ${commitId}]`);
    const edits = new Map([[found.path, undefined]]);
    const change = await notesCommit(forge, actor, { code, edits, message: "Notes removed through the API" });
    return { ...change, result: undefined };
  });
}

/** The place of a commit's note: the path is its id, cut into folders after any number of pairs of digits. */
async function findNote(
  { history, repository }: Code,
  commitId: ObjectId,
): Promise<{ path: string; blob: ObjectId } | undefined> {
  const tip = repository.refs.find(notesRef);
  if (tip === undefined) return undefined;
  let { tree } = await history.links(tip.id);
  let prefix = "";
  for (let rest = commitId; rest.length > 0; ) {
    const file = await findEntry(history, tree, rest);
    if (file !== undefined && file.mode !== directoryMode) return { path: prefix + rest, blob: file.id };
    const folder = await findEntry(history, tree, rest.slice(0, 2));
    if (folder?.mode !== directoryMode) return undefined;
    prefix += `${rest.slice(0, 2)}/`;
    rest = rest.slice(2);
    tree = folder.id;
  }
  return undefined;
}

/** A commit on top of the notes. */
async function notesCommit(
  forge: Forge,
  actor: Actor,
  change: { code: Code; edits: Parameters<typeof editTree>[2]; message: string },
): Promise<RefsToLand> {
  const { history } = change.code;
  const old = change.code.repository.refs.find(notesRef)?.id;
  const tree = old === undefined ? undefined : (await history.links(old)).tree;
  const id = await writeCommit(history, {
    tree: await editTree(history, tree, change.edits),
    parents: old === undefined ? [] : [old],
    ...authorshipOf(forge, actor, {}),
    message: change.message,
  });
  return {
    changes: [{ name: notesRef, ...defined({ old }), new: id }],
    pack: await packOfNew(history, [id]),
  };
}
