import type { OrganizationAccess } from "#core/access/organization-access";
import { createBlock, isBlocked, listBlocks, removeBlock } from "#core/block/block";
import type { Forge } from "#core/forge";
import type { User as UserItem } from "#core/user/user.table";
import { pageOf } from "../../http/answer/paging.ts";
import { no } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { presentUsers } from "../user/lists.ts";
import { User } from "../user/schema.ts";
import { blockOnce, unblockOnce } from "./once.ts";
import { presentBlock } from "./present.ts";
import { BlockedUser } from "./schema.ts";

/** Blocks of an organization, in Gitea's form (`blocks`) and in Forgejo's (`block`, `unblock`, `list_blocked`). */

const needs = { scope: ["organization"], organization: "owner", user: "visible" } as const;
const listNeeds = { scope: ["organization"], organization: "owner" } as const;

interface BlockRequest {
  readonly forge: Forge;
  readonly organization: OrganizationAccess;
  readonly user: UserItem;
}

async function unblock({ forge, organization, user }: BlockRequest): Promise<undefined> {
  await removeBlock(forge, organization.organization.id, user.id);
}

const organizationListBlocks = endpoint({
  id: "organizationListBlocks",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/blocks",
  summary: "List the users that an organization blocks",
  needs: listNeeds,
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, organization, page } = request;
    const found = await listBlocks(forge, organization.organization.id);
    return presentUsers(
      forge,
      viewOf(request),
      found.map(({ userId }) => userId),
      page,
    );
  },
});

const organizationCheckUserBlock = endpoint({
  id: "organizationCheckUserBlock",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/blocks/{username}",
  summary: "Check whether an organization blocks a user",
  needs,
  isCheck: true,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, organization, user }) =>
    (await isBlocked(forge, organization.organization.id, user.id)) ? undefined : no,
});

const organizationBlockUser = endpoint({
  id: "organizationBlockUser",
  tag: "organization",
  method: "put",
  path: "/orgs/{org}/blocks/{username}",
  summary: "Block a user on behalf of an organization; its members can't be blocked",
  needs: { ...needs, user: "known" },
  query: { note: text.openapi({ description: "a remark for the owners", maxLength: 255 }) },
  status: 204,
  errors: [400, 401, 403, 404, 422],
  handle: ({ forge, organization, user, query }) =>
    blockOnce(forge, organization.organization, { user, note: query.note }),
});

const organizationUnblockUser = endpoint({
  id: "organizationUnblockUser",
  tag: "organization",
  method: "delete",
  path: "/orgs/{org}/blocks/{username}",
  summary: "Lift an organization's block of a user",
  needs: { ...needs, user: "known" },
  status: 204,
  errors: [400, 401, 403, 404],
  handle: ({ forge, organization, user }) => unblockOnce(forge, organization.organization.id, user),
});

const orgListBlockedUsers = endpoint({
  id: "orgListBlockedUsers",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/list_blocked",
  summary: "List the ids of the users that an organization blocks",
  needs: listNeeds,
  status: 200,
  returns: { list: BlockedUser },
  errors: [401, 403, 404],
  handle: async ({ forge, organization, page }) => {
    const { items, total } = pageOf(await listBlocks(forge, organization.organization.id), page);
    return { items: items.map(presentBlock), total };
  },
});

const orgBlockUser = endpoint({
  id: "orgBlockUser",
  tag: "organization",
  method: "put",
  path: "/orgs/{org}/block/{username}",
  summary: "Block a user on behalf of an organization, also a member",
  needs,
  status: 204,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, organization, user }) => {
    await createBlock(forge, organization.organization, user, { mayBeMember: true });
    return undefined;
  },
});

const orgUnblockUser = endpoint({
  id: "orgUnblockUser",
  tag: "organization",
  method: "put",
  path: "/orgs/{org}/unblock/{username}",
  summary: "Lift an organization's block of a user: as DELETE /orgs/{org}/blocks/{username}",
  needs,
  status: 204,
  errors: [401, 403, 404],
  handle: unblock,
});

export const organizationBlockEndpoints = [
  organizationListBlocks,
  organizationCheckUserBlock,
  organizationBlockUser,
  organizationUnblockUser,
  orgListBlockedUsers,
  orgBlockUser,
  orgUnblockUser,
];
