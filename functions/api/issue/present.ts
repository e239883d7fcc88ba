import type { RepositoryAccess } from "#core/access/repository-access";
import type { Forge } from "#core/forge";
import type { Issue, IssueKind } from "#core/issue/issue.table";
import * as users from "#core/user/user";
import type { User } from "#core/user/user.table";
import { presentUser } from "../user/present.ts";
import { apiLinkTo, linkTo, optionalTimestamp, timestamp, type View } from "../view.ts";
import type { IssueJson } from "./schema.ts";

/** The repository that issues and comments are shown of. */
export type IssuePlace = Pick<RepositoryAccess, "repository" | "owner">;

/** The page of an issue or pull. */
export const issuePageLink = (
  { config }: View,
  { owner, repository }: IssuePlace,
  kind: IssueKind,
  number: number,
): string => linkTo(config, owner.name, repository.name, kind === "pull" ? "pulls" : "issues", number);

/** Users who wrote what is shown, in one request at most; the caller and the owner are known already. */
export async function findAuthors(
  forge: Forge,
  { actor }: View,
  { owner }: IssuePlace,
  written: readonly { readonly authorId: number }[],
): Promise<ReadonlyMap<number, User>> {
  const near = [...(owner.kind === "user" ? [owner] : []), ...(actor === undefined ? [] : [actor.user])];
  const known = new Map(near.map((user) => [user.id, user]));
  const others = written.map(({ authorId }) => authorId).filter((id) => !known.has(id));
  return new Map([...known, ...(await users.findAllById(forge, others))]);
}

/** Issues with their authors. */
export async function presentIssues(
  forge: Forge,
  view: View,
  place: IssuePlace,
  issues: readonly Issue[],
): Promise<IssueJson[]> {
  const authors = await findAuthors(forge, view, place, issues);
  return issues.map((issue) => issueJson(view, place, issue, authors));
}

/** As `presentIssues`, for one. */
export async function presentIssue(
  forge: Forge,
  view: View,
  place: IssuePlace,
  issue: Issue,
): Promise<IssueJson> {
  return issueJson(view, place, issue, await findAuthors(forge, view, place, [issue]));
}

function issueJson(
  view: View,
  place: IssuePlace,
  issue: Issue,
  authors: ReadonlyMap<number, User>,
): IssueJson {
  const { owner, repository } = place;
  const page = issuePageLink(view, place, issue.kind, issue.number);
  return {
    id: issue.id,
    url: apiLinkTo(view.config, "repos", owner.name, repository.name, "issues", issue.number),
    html_url: page,
    number: issue.number,
    user: presentUser(view, authors.get(issue.authorId) ?? users.ghost),
    original_author: "",
    original_author_id: 0,
    title: issue.title,
    body: issue.body,
    ref: issue.ref,
    assets: [],
    labels: [],
    milestone: null,
    assignee: null,
    assignees: [],
    state: issue.isClosed ? "closed" : "open",
    is_locked: issue.isLocked,
    comments: issue.comments,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: optionalTimestamp(issue.closedAt),
    due_date: optionalTimestamp(issue.dueAt),
    pull_request:
      issue.kind === "pull" ? { merged: false, merged_at: null, draft: false, html_url: page } : null,
    repository: {
      id: repository.id,
      name: repository.name,
      owner: owner.name,
      full_name: `${owner.name}/${repository.name}`,
    },
    pin_order: issue.pin,
  };
}
