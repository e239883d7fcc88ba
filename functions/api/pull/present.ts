import { sideOf } from "#core/git/diff/file-change";
import type { FileStat } from "#core/git/diff/patch/stat";
import { entryName } from "#core/git/format/tree";
import { byLabelName, isUsableLabel } from "#core/label/label";
import type { PullDetails, ShownPulls } from "#core/pull/details";
import { hasPushedHead, headNameOf } from "#core/pull/head/pushed-head";
import { type PullPart, type PullRequest, pullHeadRef } from "#core/pull/pull.table";
import type { RepositoryDetails } from "#core/repository/details";
import { ghostUser } from "#core/user/system-users";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { optionalTimestamp, timestamp } from "../../http/timestamps.ts";
import { issuePageLink } from "../issue/present.ts";
import { presentLabel } from "../label/present.ts";
import { presentMilestone } from "../milestone/present.ts";
import { presentRepository } from "../repository/present.ts";
import { presentTeam } from "../team/present.ts";
import { presentUser } from "../user/present.ts";
import type { UserJson } from "../user/schema.ts";
import type { ChangedFileJson, PRBranchInfoJson, PullRequestJson } from "./schema.ts";

/** Pull requests of one repository, in the family's form (semantics §32). */
export function presentPulls(view: View, { base, pulls, referred, teams }: ShownPulls): PullRequestJson[] {
  const users = new Map([...referred.users].map(([id, user]) => [id, presentUser(view, user)]));
  return pulls.map((details) => presentPull(view, base, details, { ...referred, users, teams }));
}

type Referred = Omit<ShownPulls["referred"], "users"> & {
  readonly users: ReadonlyMap<number, UserJson>;
  readonly teams: ShownPulls["teams"];
};

function presentPull(
  view: View,
  base: RepositoryDetails,
  details: PullDetails,
  referred: Referred,
): PullRequestJson {
  const { pull, judgement } = details;
  const author = referred.users.get(pull.authorId) ?? presentUser(view, ghostUser);
  return {
    id: pull.id,
    number: pull.number,
    user: author,
    title: pull.title,
    body: pull.body,
    ...presentLinks(issuePageLink(view, base, "pull", pull.number)),
    ...presentTriage(view, base, pull, referred),
    ...presentReviewing(view, pull.pull, referred),
    state: pull.isClosed ? "closed" : "open",
    draft: pull.pull.isDraft,
    is_locked: pull.isLocked,
    comments: pull.comments,
    additions: judgement?.additions ?? 0,
    deletions: judgement?.deletions ?? 0,
    changed_files: judgement?.files ?? 0,
    mergeable: isMergeable(details),
    ...presentMerge(view, pull.pull, referred),
    allow_maintainer_edit: pull.pull.allowsMaintainerEdit,
    base: presentBase(view, base, details),
    head: presentHead(view, details, author.login),
    merge_base: (pull.isClosed ? undefined : judgement?.mergeBase) ?? pull.pull.mergeBase,
    due_date: optionalTimestamp(pull.dueAt),
    created_at: timestamp(pull.createdAt),
    updated_at: timestamp(pull.updatedAt),
    closed_at: optionalTimestamp(pull.closedAt),
    pin_order: pull.pin,
    flow: hasPushedHead(pull.pull) ? 1 : 0,
  };
}

type Fields<Name extends keyof PullRequestJson> = Pick<PullRequestJson, Name>;

const presentLinks = (page: string): Fields<"url" | "html_url" | "diff_url" | "patch_url"> => ({
  url: page,
  html_url: page,
  diff_url: `${page}.diff`,
  patch_url: `${page}.patch`,
});

function presentTriage(
  view: View,
  base: RepositoryDetails,
  { assigneeIds, labelIds, milestoneId }: PullRequest,
  { users, labels, milestones }: Referred,
): Fields<"labels" | "milestone" | "assignee" | "assignees"> {
  const milestone = milestones.get(milestoneId);
  const assignees = assigneeIds.flatMap((id) => users.get(id) ?? []);
  return {
    labels: labelIds
      .flatMap((id) => labels.get(id) ?? [])
      .filter((label) => isUsableLabel(base, label))
      .sort(byLabelName)
      .map((label) => presentLabel(view, base, label)),
    milestone: milestone === undefined ? null : presentMilestone(milestone),
    assignee: assignees[0] ?? null,
    assignees,
  };
}

const presentReviewing = (
  view: View,
  { reviewing }: PullPart,
  { users, teams }: Referred,
): Fields<"requested_reviewers" | "requested_reviewers_teams" | "review_comments"> => ({
  requested_reviewers: (reviewing?.userIds ?? []).flatMap((id) => users.get(id) ?? []),
  requested_reviewers_teams: (reviewing?.teamIds ?? [])
    .flatMap((id) => teams.get(id) ?? [])
    .map((team) => presentTeam(view, team)),
  review_comments: reviewing?.comments ?? 0,
});

const presentMerge = (
  view: View,
  { merge }: PullPart,
  { users }: Referred,
): Fields<"merged" | "merged_at" | "merged_by" | "merge_commit_sha"> => ({
  merged: merge !== undefined,
  merged_at: optionalTimestamp(merge?.at ?? 0),
  merge_commit_sha: merge?.commitId ?? null,
  merged_by: merge === undefined ? null : (users.get(merge.mergerId) ?? presentUser(view, ghostUser)),
});

const isMergeable = ({ pull, judgement }: PullDetails): boolean =>
  !pull.isClosed && !pull.pull.isDraft && (judgement?.state === "mergeable" || judgement?.state === "empty");

const presentBase = (
  view: View,
  base: RepositoryDetails,
  { pull, baseId }: PullDetails,
): PRBranchInfoJson => ({
  label: pull.pull.base,
  ref: pull.pull.base,
  sha: baseId,
  repo_id: base.repository.id,
  repo: presentRepository(view, base),
});

/** Shows the branch of a head that is hidden from the caller as the author wrote it, as long as the request is open. */
function presentHead(
  view: View,
  { pull, head, hasHeadBranch }: PullDetails,
  author: string,
): PRBranchInfoJson {
  const name = headNameOf(pull.pull, author);
  const isShown = hasPushedHead(pull.pull) || (head === undefined ? !pull.isClosed : hasHeadBranch);
  return {
    label: name,
    ref: isShown ? name : pullHeadRef(pull.number),
    sha: pull.pull.headId,
    repo_id: head?.repository.id ?? -1,
    repo: head === undefined ? null : presentRepository(view, head),
  };
}

const statuses: Readonly<Partial<Record<FileStat["change"]["status"], ChangedFileJson["status"]>>> = {
  added: "added",
  deleted: "deleted",
  renamed: "renamed",
  copied: "copied",
};

/** A file that a request changes, as it is at the head commit, in a repository that has it. */
export function presentChangedFile(
  { config }: View,
  { owner, repository }: Pick<RepositoryDetails, "owner" | "repository">,
  sha: string,
  { change, added, deleted, isBinary }: FileStat,
): ChangedFileJson {
  const filename = entryName(sideOf(change).path);
  const [additions, deletions] = isBinary ? [0, 0] : [added, deleted];
  const hasSameContent = change.old?.id === change.new?.id;
  const segments = filename.split("/");
  const isUnchanged = hasSameContent || (!isBinary && added + deleted === 0);
  return {
    filename,
    ...(change.status === "renamed" && change.old !== undefined
      ? { previous_filename: entryName(change.old.path) }
      : {}),
    status: statuses[change.status] ?? (isUnchanged ? "unchanged" : "changed"),
    additions,
    deletions,
    changes: additions + deletions,
    html_url: linkTo(config, owner.name, repository.name, "src", "commit", sha, ...segments),
    contents_url: `${apiLinkTo(config, "repos", owner.name, repository.name, "contents", ...segments)}?ref=${sha}`,
    raw_url: linkTo(config, owner.name, repository.name, "raw", "commit", sha, ...segments),
  };
}
