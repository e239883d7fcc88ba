import { listInsiders } from "#core/access/insiders";
import { findKnownUsers } from "#core/access/listed-repositories";
import { accessMode, isRepositoryAdmin, modeOf } from "#core/access/modes";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { isAssignable, listAssignable } from "#core/issue/assignees/assignees";
import { findVisibleUser } from "#core/user/find";
import type { User as StoredUser } from "#core/user/user.table";
import { type Listing, type Page, wholeUnlessAsked } from "../../http/answer/paging.ts";
import { no } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentUser } from "../user/present.ts";
import { User, type UserJson } from "../user/schema.ts";

const needs = { scope: ["repository"], login: true, repository: { mode: "read" } } as const;

interface ListRequest {
  readonly forge: Forge;
  readonly actor: Actor;
  readonly access: RepositoryAccess;
  readonly page: Page;
}

/**
 * The users among these that the caller may know of, by name; administrators of the repository know all of its users.
 */
async function presentKnown(request: ListRequest, all: readonly StoredUser[]): Promise<Listing<UserJson>> {
  const { forge, actor, access, page } = request;
  const ids = all.map(({ id }) => id);
  const known = new Set(isRepositoryAdmin(access.rights) ? ids : await findKnownUsers(forge, actor, ids));
  const named = all.filter(({ id }) => known.has(id)).map((user) => [user.name.toLowerCase(), user] as const);
  const inOrder = named.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, user]) => user);
  const listing = wholeUnlessAsked(inOrder, page);
  return { ...listing, items: listing.items.map((user) => presentUser(viewOf(request), user)) };
}

const repoGetAssignees = endpoint({
  id: "repoGetAssignees",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/assignees",
  summary: "List the users that issues may be assigned to: all unless a page is asked for",
  description: "The repository's owner, and users with the right to write its code, issues or pull requests.",
  needs,
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => presentKnown(request, await listAssignable(request.forge, request.access)),
});

const repoCheckAssignee = endpoint({
  id: "repoCheckAssignee",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/assignees/{assignee}",
  summary: "Check whether issues may be assigned to a user",
  needs,
  isCheck: true,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, access, params }) => {
    const user = await findVisibleUser(forge, actor, params.assignee);
    const isOne = user !== undefined && (await isAssignable(forge, access.repository, user));
    return isOne ? undefined : no;
  },
});

const repoGetReviewers = endpoint({
  id: "repoGetReviewers",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/reviewers",
  summary: "List the users who may be asked for a review: all unless a page is asked for",
  description: "The repository's owner, and users with the right to read its code or pull requests.",
  needs,
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const insiders = await listInsiders(request.forge, request.access);
    const readers = insiders.filter(({ rights }) =>
      (["pulls", "code"] as const).some((unit) => modeOf(rights, unit) >= accessMode.read),
    );
    return presentKnown(
      request,
      readers.map(({ user }) => user),
    );
  },
});

export const insiderEndpoints = [repoGetAssignees, repoCheckAssignee, repoGetReviewers];
