import type { Actor } from "../actor.ts";
import { authorshipOf } from "../code/authorship.ts";
import { changeRefs, type RefsToLand } from "../code/land.ts";
import { type AnnotatedTag, readTag, tagsByDate } from "../code/objects.ts";
import { type Code, findCommit, isCodeEmpty, openCode } from "../code/open.ts";
import { manySteps } from "../concurrency/pacer.ts";
import { conflict, type ForgeError, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { isValidRefName } from "../git/format/check-ref-name.ts";
import { commitMessage } from "../git/format/commit.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { packOfNew } from "../git/merge/new-objects.ts";
import { writeTag } from "../git/merge/write-commit.ts";
import { checkFolders } from "../git/refs/check-changes.ts";
import { tagPrefix } from "../git/refs/ref-name.ts";
import type { RefEntry } from "../git/refs/ref-table.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { isReleasable, type ReleaseTag, releaseTagKey } from "../release/release.table.ts";
import type { Repository } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, type Write } from "../table/write.ts";
import { listTagProtections, tagProblems } from "../tag-protection/tag-protection.ts";
import { bodyProblem } from "../text.ts";

/** A tag. `id` is that of its object when it is annotated, else the commit's. */
export interface Tag {
  readonly name: string;
  readonly id: ObjectId;
  /** The object that it leads to in the end. */
  readonly targetId: ObjectId;
  /** Of the tag's object, else of the commit. */
  readonly message: string;
  /** The time of the tag, else of the commit: whole seconds; 0 when neither is known. */
  readonly taggedAt: number;
}

/** One page of tags, newest first, and how many there are. */
export async function listTags(
  forge: Forge,
  repositoryId: number,
  page: PageRequest,
): Promise<{ items: Tag[]; total: number }> {
  const code = await openCode(forge, repositoryId);
  const entries = await tagsByDate(code);
  const items: Tag[] = [];
  for (const entry of rowsOfPage(entries, page)) {
    items.push(await read(forge, code, entry));
    await code.history.pace(manySteps);
  }
  return { items, total: entries.length };
}

/** The tag of this name. NotFound when there is none. */
export async function getTag(forge: Forge, repositoryId: number, name: string): Promise<Tag> {
  const code = await openCode(forge, repositoryId);
  return read(forge, code, entryOf(code, name));
}

/** The tag of this name in code that was read, or undefined. */
export async function findTagIn(forge: Forge, code: Code, name: string): Promise<Tag | undefined> {
  const entry = code.repository.refs.find(tagPrefix + name);
  return entry === undefined ? undefined : read(forge, code, entry);
}

function entryOf({ repository }: Code, name: string): RefEntry {
  const entry = repository.refs.find(tagPrefix + name);
  if (entry === undefined) throw notFound(`tag does not exist [name: ${name}]`);
  return entry;
}

async function read(forge: Forge, code: Code, { name, id, peeled }: RefEntry): Promise<Tag> {
  const { history } = code;
  const place = history.packs.find(id);
  const targetId = peeled ?? id;
  const short = name.slice(tagPrefix.length);
  const object: AnnotatedTag | undefined =
    place !== undefined && history.packs.typeOf(place) === "tag" ? await readTag(forge, code, id) : undefined;
  const target = history.packs.find(targetId);
  const isCommit = target !== undefined && history.packs.typeOf(target) === "commit";
  const commit = isCommit ? (await history.commit(targetId)).commit : undefined;
  const message = object?.message ?? (commit === undefined ? "" : commitMessage(commit));
  const taggedAt = object?.tag.tagger?.seconds ?? commit?.committer.seconds ?? 0;
  return { name: short, id, targetId, message: message.trim(), taggedAt };
}

/** A tag to make: with a message an annotated one. `target` is a branch, tag or commit; absent: HEAD. */
export interface NewTag {
  readonly name: string;
  readonly target?: string;
  readonly message?: string;
}

const longestName = 255;

/** Why a tag may not be made so, or undefined when it may. */
export function tagProblem({ name, message = "" }: NewTag): ForgeError | undefined {
  if (name.length > longestName) return invalid("TagName", `MaxSize ${longestName}`);
  if (!isValidRefName(tagPrefix + name) || name.startsWith("-")) {
    return invalid("TagName", "GitRefName: git allows no such tag name");
  }
  return bodyProblem("Message", message);
}

/** 422 when a rule keeps the tag from the actor. A push that follows checks the rules once more, and answers 403. */
export async function requireUnprotectedTag(
  forge: Forge,
  { id, ownerId }: Repository,
  actor: Actor,
  tag: string,
): Promise<void> {
  const problems = await tagProblems(forge, await listTagProtections(forge, id), {
    ownerId,
    actor,
    tags: [tag],
  });
  const problem = problems.get(tag);
  if (problem !== undefined) throw unprocessable(problem);
}

/**
 * Makes a tag. 404 for an unknown target or an empty repository; 409 when the name is taken; 422 when a rule protects
 * it.
 */
export async function createTag(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  given: NewTag,
): Promise<Tag> {
  const problem = tagProblem(given);
  if (problem !== undefined) throw problem;
  await requireUnprotectedTag(forge, repository, actor, given.name);
  await changeRefs(forge, repository, actor, async (code) => ({
    ...(await planTag(forge, actor, code, given)),
    result: undefined,
  }));
  return getTag(forge, repository.id, given.name);
}

/** The change of refs that makes a tag. NotFound and Conflict as in `createTag`. */
export async function planTag(forge: Forge, actor: Actor, code: Code, given: NewTag): Promise<RefsToLand> {
  const name = tagPrefix + given.name;
  const target = isCodeEmpty(code) ? undefined : await findCommit(code, given.target);
  if (target === undefined) throw notFound(`there is no such target [target: ${given.target ?? "HEAD"}]`);
  const { refs } = code.repository;
  if (refs.find(name) !== undefined) throw conflict(`a tag exists already [name: ${given.name}]`);
  const made = await makeTag(forge, actor, code, given, target.id);
  const clash = checkFolders(refs, [{ name, entry: { name, id: made.id, pusherId: 0, updatedMs: 0 } }]).get(
    name,
  );
  if (clash !== undefined) throw conflict(clash);
  return { changes: [{ name, new: made.id }], ...made.pack };
}

/** The object that the new ref points at, and the pack with it when it is new. */
async function makeTag(
  forge: Forge,
  actor: Actor,
  { history }: Code,
  { name, message = "" }: NewTag,
  object: ObjectId,
) {
  if (message.trim() === "") return { id: object, pack: {} };
  const { committer } = authorshipOf(forge, actor, {});
  const id = await writeTag(history, {
    name,
    object,
    type: "commit",
    tagger: committer,
    message: message.trim(),
  });
  return { id, pack: { pack: await packOfNew(history, [id]) } };
}

/** Deletes a tag. NotFound when there is none; 422 when a rule protects it; Conflict while a release is on it. */
export async function removeTag(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  name: string,
): Promise<void> {
  await requireUnprotectedTag(forge, repository, actor, name);
  await changeRefs(forge, repository, actor, async (code) => ({
    changes: [{ name: tagPrefix + name, old: entryOf(code, name).id }],
    tag: { writes: () => tagIsBare(forge, repository.id, name) },
    result: undefined,
  }));
}

/** Checks for a transaction that no release is on a tag. Conflict when one is. */
async function tagIsBare({ table }: Forge, repositoryId: number, name: string): Promise<Write[]> {
  if (!isReleasable(name)) return [];
  const key = releaseTagKey(repositoryId, name);
  const guard = await table.get<ReleaseTag>(key);
  if (guard?.tagName === name) throw conflict(`a release is on the tag: delete it first [name: ${name}]`);
  return [check(key, guard === undefined ? absent : equals({ tagName: guard.tagName }))];
}
