import { isHiddenFromToken } from "#core/access/public-only";
import { type Activity, commitsKey, type PushedCommits } from "#core/activity/activity.table";
import type { Feed, ShownActivity } from "#core/activity/feed";
import type { Actor } from "#core/actor";
import { type Comment, entryKey } from "#core/comment/comment.table";
import { findReferredByComments } from "#core/comment/referred";
import type { Forge } from "#core/forge";
import { type Issue, issueKey } from "#core/issue/issue.table";
import type { Owner } from "#core/owner/owner";
import { type Release, releaseKey } from "#core/release/release.table";
import { detailsOfAll } from "#core/repository/details";
import { type Item, keyText, type TableKey } from "#core/table/write";
import { findOwnerById } from "#core/user/find";
import type { Listing } from "../../http/answer/paging.ts";
import type { View } from "../../http/answer/view.ts";
import { type DetailedActivity, presentActivity } from "./present.ts";
import type { ActivityJson } from "./schema.ts";

/** What a page of activities is about, by `keyText`. */
type Found = ReadonlyMap<string, Item>;

/** A page of a feed with what it is about, read now; what is about something that is gone is left out. */
export async function showFeed(
  forge: Forge,
  view: View,
  feedOwnerId: number,
  { items, total, isExact }: Feed,
): Promise<Listing<ActivityJson>> {
  if (items.length === 0) return { items: [], total, isExact };
  const accesses = [...new Map(items.map(({ access }) => [access.repository.id, access])).values()];
  const keys = items.flatMap(({ activity }) => Object.values(keysOf(activity)));
  const [details, found, formerOwners] = await Promise.all([
    detailsOfAll(forge, view.actor, accesses),
    keys.length === 0 ? new Map<string, Item>() : forge.table.getAll(keys),
    findFormerOwners(forge, view.actor, items),
  ]);
  const detailsById = new Map(details.map((one) => [one.repository.id, one]));
  const detailed = items.flatMap((shown) => {
    const its = detailsById.get(shown.activity.repositoryId);
    const formerOwner = formerOwners.get(shown.activity.formerOwnerId);
    return its === undefined ? [] : detailedBy({ ...shown, details: its, formerOwner }, found);
  });
  const comments = detailed.flatMap(({ comment }) => comment ?? []);
  const referred = await findReferredByComments(forge, view.actor, accesses, comments);
  return {
    items: detailed.map((one) => presentActivity(view, feedOwnerId, referred, one)),
    total,
    isExact,
  };
}

/** Who owned transferred repositories, as far as the caller may know of them. */
async function findFormerOwners(
  forge: Forge,
  actor: Actor | undefined,
  items: readonly ShownActivity[],
): Promise<ReadonlyMap<number | undefined, Owner>> {
  const ids = new Set(items.flatMap(({ activity }) => activity.formerOwnerId ?? []));
  const owners = await Promise.all([...ids].map((id) => findOwnerById(forge, actor, id)));
  return new Map(
    owners.flatMap((owner) =>
      owner === undefined || isHiddenFromToken(actor, { owner }) ? [] : [[owner.id, owner]],
    ),
  );
}

interface ActivityKeys {
  readonly issue?: TableKey;
  readonly comment?: TableKey;
  readonly release?: TableKey;
  readonly commits?: TableKey;
}

/** What an activity is about. */
function keysOf(activity: Activity): ActivityKeys {
  const { type, repositoryId, number, commentId } = activity;
  if (type === "publish_release") return { release: releaseKey(repositoryId, number ?? 0) };
  if (number === undefined) return isOfCommits(activity) ? { commits: commitsKey(activity) } : {};
  const issue = issueKey(repositoryId, number);
  return commentId === undefined ? { issue } : { issue, comment: entryKey(repositoryId, number, commentId) };
}

const isOfCommits = ({ type }: Activity) =>
  type === "commit_repo" || /^mirror_sync_(push|create)$/.test(type);

/** None when something that it is about is gone; commits may be missing. */
function detailedBy(
  shown: ShownActivity & Pick<DetailedActivity, "details" | "formerOwner">,
  found: Found,
): DetailedActivity[] {
  const keys = keysOf(shown.activity);
  const read = <T extends Item>(key: TableKey | undefined) =>
    key === undefined ? undefined : (found.get(keyText(key)) as T | undefined);
  const [issue, comment] = [read<Issue>(keys.issue), read<Comment>(keys.comment)];
  const release = read<Release>(keys.release);
  const isGone =
    (keys.issue !== undefined && issue === undefined) ||
    (keys.comment !== undefined && comment === undefined) ||
    (keys.release !== undefined && (release === undefined || release.isDraft));
  return isGone ? [] : [{ ...shown, issue, comment, release, commits: read<PushedCommits>(keys.commits) }];
}
