import type { ShownCommit } from "#core/activity/activity.table";
import { type Deed, findScene, recordActivities } from "#core/activity/record";
import type { Forge } from "#core/forge";
import { commitMessage } from "#core/git/format/commit";
import type { Identity } from "#core/git/format/identity";
import type { IdentifiedCommit } from "#core/git/history/history";
import type { PackSet } from "#core/git/pack/pack-set";
import type { LoggedChange } from "#core/git/refs/ref-log";
import { openRepository } from "#core/git/store/store";
import type { PushEvent } from "#core/hook/events";
import { shortened } from "#core/text";
import { commitsOf, listedCommits, type PushedRef, pushedRef } from "./pushed-commits.ts";

/** Feeds tell of so many branches and tags of one push, and show the commits of so many branches. */
const mostRefs = 50;
const mostWithCommits = 10;
const mostMessage = 1_000;
const mostName = 255;

/** Writes down for feeds what a push did to branches and tags (semantics §67.2). May be repeated. */
export async function notePush(
  forge: Forge,
  { eventId, repositoryId, actorId, at }: PushEvent & { readonly eventId: string },
  changes: readonly LoggedChange[],
): Promise<void> {
  const refs = changes.flatMap(pushedRef).slice(0, mostRefs);
  if (refs.length === 0) return;
  const origin = { eventId, repositoryId, actorId, at };
  const scene = await findScene(forge, origin);
  if (scene === undefined) return;
  const moved = refs.filter(({ type, new: tip }) => type === "branch" && tip !== undefined);
  const isShown = new Set(moved.slice(0, mostWithCommits));
  const packs = moved.length === 0 ? undefined : await (await openRepository(forge, repositoryId))?.packs();
  const deeds: Deed[] = [];
  for (const ref of refs) {
    const deed: Deed = { type: typeOf(ref, scene.repository.isMirror), ref: ref.name };
    const hasCommits = packs !== undefined && isShown.has(ref);
    deeds.push(hasCommits ? { ...deed, ...(await withCommits(packs, ref)) } : deed);
  }
  await recordActivities(forge, origin, scene, deeds);
}

function typeOf({ type, old, new: tip }: PushedRef, isMirror: boolean): Deed["type"] {
  if (isMirror) {
    if (old === undefined) return "mirror_sync_create";
    return tip === undefined ? "mirror_sync_delete" : "mirror_sync_push";
  }
  if (type === "tag") return tip === undefined ? "delete_tag" : "push_tag";
  return tip === undefined ? "delete_branch" : "commit_repo";
}

async function withCommits(packs: PackSet, ref: PushedRef): Promise<Pick<Deed, "commits">> {
  const { listed, total } = await commitsOf(packs, ref);
  if (ref.new === undefined) return {};
  const commits = listed.slice(0, listedCommits).map(shownCommit);
  return { commits: { ...(ref.old === undefined ? {} : { old: ref.old }), new: ref.new, commits, total } };
}

const shownIdentity = ({ name, email }: Identity) => ({
  name: shortened(name, mostName),
  email: shortened(email, mostName),
});

const shownCommit = ({ id, commit }: IdentifiedCommit): ShownCommit => ({
  id,
  message: shortened(commitMessage(commit), mostMessage),
  author: shownIdentity(commit.author),
  committer: shownIdentity(commit.committer),
  committedAt: commit.committer.seconds,
});
