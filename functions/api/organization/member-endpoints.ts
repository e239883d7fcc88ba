import { findKnownUsers } from "#core/access/listed-repositories";
import { publicizeMembership, removeOrganizationMember } from "#core/organization/members";
import { findTeamMember, listOrganizationMembers } from "#core/team/list";
import { findVisibleUser } from "#core/user/find";
import { no } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentUsers } from "../user/lists.ts";
import { User } from "../user/schema.ts";

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
    const { forge, actor, organization, page } = request;
    const members = await listOrganizationMembers(forge, organization.organization.id);
    const isInsider = organization.isMember || organization.isOwner;
    const ids = members.filter(({ isPublic }) => isInsider || isPublic).map(({ userId }) => userId);
    const known = isInsider ? ids : await findKnownUsers(forge, actor, ids);
    return presentUsers(forge, viewOf(request), known, page);
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
    const user = await findVisibleUser(forge, actor, params.username);
    const member = await findTeamMember(forge, organization.organization.id, user?.id ?? 0);
    const isInsider = organization.isMember || organization.isOwner || user?.id === actor.user.id;
    return member !== undefined && (isInsider || member.isPublic) ? undefined : no;
  },
});

const orgDeleteMember = endpoint({
  id: "orgDeleteMember",
  tag: "organization",
  method: "delete",
  path: "/orgs/{org}/members/{username}",
  summary: "Take a user out of all teams of an organization, or leave them oneself; its last owner stays",
  needs: { scope: ["organization"], organization: "owner-or-self", user: "visible" },
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, organization, user }) => {
    await removeOrganizationMember(forge, organization.organization, user.id);
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
    const { forge, actor, organization, page } = request;
    const members = await listOrganizationMembers(forge, organization.organization.id);
    const ids = members.filter(({ isPublic }) => isPublic).map(({ userId }) => userId);
    return presentUsers(forge, viewOf(request), await findKnownUsers(forge, actor, ids), page);
  },
});

const orgIsPublicMember = endpoint({
  id: "orgIsPublicMember",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/public_members/{username}",
  summary: "Check whether a user shows their membership",
  needs: { scope: ["organization"], organization: "visible" },
  isCheck: true,
  status: 204,
  errors: [403, 404],
  handle: async ({ forge, actor, organization, params }) => {
    const user = await findVisibleUser(forge, actor, params.username);
    const member = await findTeamMember(forge, organization.organization.id, user?.id ?? 0);
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
    await publicizeMembership(forge, actor, organization.organization, user, true);
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
    await publicizeMembership(forge, actor, organization.organization, user, false);
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
