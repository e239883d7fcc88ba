import type { Forge } from "#core/forge";
import * as organizations from "#core/organization/organization";
import * as teams from "#core/team/team";
import * as users from "#core/user/user";
import { endpoint, Reply } from "../endpoint.ts";
import { type Listing, type Page, pageOf } from "../paging.ts";
import { presentUser } from "../user/present.ts";
import { User, type UserJson } from "../user/schema.ts";
import { type View, viewOf } from "../view.ts";

/** Users by their ids as one page of a list. */
export async function presentUsers(
  forge: Forge,
  view: View,
  ids: readonly number[],
  page: Page,
): Promise<Listing<UserJson>> {
  const { items, total } = pageOf(ids, page);
  const found = await users.findAllById(forge, items);
  const shown = items.flatMap((id) => found.get(id) ?? []);
  return { items: shown.map((user) => presentUser(view, user)), total };
}

/** The negative answer to a yes-or-no question: 404 without a body (D-CHECK). */
export const no = new Reply(undefined, { status: 404 });

const orgListMembers = endpoint({
  id: "orgListMembers",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/members",
  summary: "List an organization's members: all for members, else those who show it",
  needs: { scope: ["organization"], login: true, organization: "visible" },
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, organization, page } = request;
    const members = await teams.listOrganizationMembers(forge, organization.organization.id);
    const isInsider = organization.isMember || organization.isOwner;
    const ids = members.filter(({ isPublic }) => isInsider || isPublic).map(({ userId }) => userId);
    return presentUsers(forge, viewOf(request), ids, page);
  },
});

const orgIsMember = endpoint({
  id: "orgIsMember",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/members/{username}",
  summary: "Check whether a user is a member, as far as the caller may know (D-MEMBER)",
  needs: { scope: ["organization"], login: true, organization: "visible" },
  isCheck: true,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, organization, params }) => {
    const user = await users.findByName(forge, params.username);
    const member = await teams.findMember(forge, organization.organization.id, user?.id ?? 0);
    const isInsider = organization.isMember || organization.isOwner || user?.id === actor.user.id;
    return member !== undefined && (isInsider || member.isPublic) ? undefined : no;
  },
});

const orgDeleteMember = endpoint({
  id: "orgDeleteMember",
  tag: "organization",
  method: "delete",
  path: "/orgs/{org}/members/{username}",
  summary: "Take a user out of all teams of an organization; its last owner stays",
  needs: { scope: ["organization"], organization: "owner", user: "visible" },
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, organization, user }) => {
    await organizations.removeMember(forge, organization.organization, user.id);
    return undefined;
  },
});

const orgListPublicMembers = endpoint({
  id: "orgListPublicMembers",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/public_members",
  summary: "List the members who show their membership",
  needs: { scope: ["organization"], organization: "visible" },
  status: 200,
  returns: { list: User },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, organization, page } = request;
    const members = await teams.listOrganizationMembers(forge, organization.organization.id);
    const ids = members.filter(({ isPublic }) => isPublic).map(({ userId }) => userId);
    return presentUsers(forge, viewOf(request), ids, page);
  },
});

const orgIsPublicMember = endpoint({
  id: "orgIsPublicMember",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/public_members/{username}",
  summary: "Check whether a user shows his membership",
  needs: { scope: ["organization"], organization: "visible" },
  isCheck: true,
  status: 204,
  errors: [403, 404],
  handle: async ({ forge, organization, params }) => {
    const user = await users.findByName(forge, params.username);
    const member = await teams.findMember(forge, organization.organization.id, user?.id ?? 0);
    return member?.isPublic === true ? undefined : no;
  },
});

const orgPublicizeMember = endpoint({
  id: "orgPublicizeMember",
  tag: "organization",
  method: "put",
  path: "/orgs/{org}/public_members/{username}",
  summary: "Show one's membership to everybody",
  needs: { scope: ["organization"], organization: "member", user: "visible" },
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, organization, user }) => {
    await organizations.publicize(forge, actor, organization.organization, user, true);
    return undefined;
  },
});

const orgConcealMember = endpoint({
  id: "orgConcealMember",
  tag: "organization",
  method: "delete",
  path: "/orgs/{org}/public_members/{username}",
  summary: "Show one's membership to members alone",
  needs: { scope: ["organization"], organization: "member", user: "visible" },
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, organization, user }) => {
    await organizations.publicize(forge, actor, organization.organization, user, false);
    return undefined;
  },
});

export const memberEndpoints = [
  orgListMembers,
  orgIsMember,
  orgDeleteMember,
  orgListPublicMembers,
  orgIsPublicMember,
  orgPublicizeMember,
  orgConcealMember,
];
