import type { Actor } from "../actor.ts";
import { inTurn } from "../concurrency/turns.ts";
import { conflict } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { keyText, update, type Write } from "../table/write.ts";
import { type NewRelease, releaseProblem, requireFreeTag } from "./create.ts";
import { editWrite } from "./edit-write.ts";
import { publish } from "./publish.ts";
import { releaseDelta } from "./release.index.ts";
import { type Release, releaseTagKey } from "./release.table.ts";
import { getRelease, type ReleaseAccess } from "./release.ts";
import {
  leaveTag,
  type ReleaseChange,
  ReleaseEvents,
  takeTag,
  untilWritten,
  type WriteChange,
} from "./write.ts";

/** The changes of a release; absent members stay as they are. */
export type ReleaseChanges = Partial<Omit<NewRelease, "tagMessage">>;

/**
 * Changes a release. A draft that is published gets its tag, as a new release does, and so does a published one with
 * another tag; the former tag stays. NotFound, Conflict and 422 as in `createRelease`.
 */
export async function editRelease(
  forge: Forge,
  access: ReleaseAccess,
  actor: Actor,
  id: number,
  changes: ReleaseChanges,
): Promise<Release> {
  const { repository } = access;
  const edit: Edit = { id, changes, actor, events: new ReleaseEvents(forge, actor) };
  return inTurn(forge, `release ${id}`, () =>
    untilWritten(forge, repository, (write) => editOnce(forge, access, edit, write)),
  );
}

interface Edit {
  readonly id: number;
  readonly changes: ReleaseChanges;
  readonly actor: Actor;
  readonly events: ReleaseEvents;
}

async function editOnce(
  forge: Forge,
  access: ReleaseAccess,
  edit: Edit,
  write: WriteChange,
): Promise<Release | undefined> {
  const before = await getRelease(forge, access, edit.id);
  const problem = releaseProblem(edit.changes);
  if (problem !== undefined) throw problem;
  const release = { ...before, ...edit.changes };
  const needsTag = !release.isDraft && (before.isDraft || before.tagName !== release.tagName);
  if (!needsTag) {
    const change = await planEdit(forge, before, edit);
    return (await write(change)) ? change.release : undefined;
  }
  const plan = async ({ taggedAt, isNew }: { taggedAt: number; isNew: boolean }) => {
    const now = await getRelease(forge, access, edit.id);
    const change = await planEdit(forge, now, edit, isNew ? taggedAt : now.createdAt);
    if (change.release.tagName !== release.tagName) throw conflict("the release got another tag meanwhile");
    return change;
  };
  return publish(forge, access.repository, edit.actor, { release, plan }, write);
}

async function planEdit(
  forge: Forge,
  before: Release,
  { changes, events }: Edit,
  createdAt = before.createdAt,
): Promise<ReleaseChange> {
  const { hasLostTag, ...edited } = { ...before, ...changes, createdAt, v: before.v + 1 };
  const isPublished = !edited.isDraft;
  // Callers who ask for a draft, or for another tag, do not wait for the deleted tag.
  const waits = !isPublished && changes.isDraft === undefined && edited.tagName === before.tagName;
  const release: Release = waits && hasLostTag !== undefined ? { ...edited, hasLostTag } : edited;
  return {
    release,
    published: Number(isPublished) - Number(!before.isDraft),
    writes: [editWrite(before, release), releaseDelta(release), ...(await tagWrites(forge, before, release))],
    events: isPublished ? [events.of(release, before.isDraft ? "published" : "updated")] : [],
  };
}

/** Moves the release to another tag. Conflict when another release is there. */
async function tagWrites(forge: Forge, before: Release, after: Release): Promise<Write[]> {
  const { repositoryId, tagName } = after;
  if (before.tagName === tagName) return [];
  const [left, taken] = [before.tagName, tagName].map((name) => releaseTagKey(repositoryId, name));
  if (left !== undefined && taken !== undefined && keyText(left) === keyText(taken)) {
    return [update(taken, { set: { tagName } })];
  }
  await requireFreeTag(forge, repositoryId, tagName);
  return [leaveTag(before), takeTag(after)];
}
