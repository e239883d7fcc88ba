import type { Actor } from "#core/actor";
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

/** Blocks of the caller, in Gitea's form (`blocks`) and in Forgejo's (`block`, `unblock`, `list_blocked`). */

const needs = { scope: ["user"], login: true, user: "visible" } as const;
const listNeeds = { scope: ["user"], login: true } as const;

interface BlockRequest {
  readonly forge: Forge;
  readonly actor: Actor;
  readonly user: UserItem;
}

async function unblock({ forge, actor, user }: BlockRequest): Promise<undefined> {
  await removeBlock(forge, actor.user.id, user.id);
}

const userListBlocks = endpoint({
  id: "userListBlocks",
  tag: "user",
  method: "get",
  path: "/user/blocks",
  summary: "List the users that the caller blocks",
  needs: listNeeds,
  status: 200,
  returns: { list: User },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const ids = (await listBlocks(forge, actor.user.id)).map(({ userId }) => userId);
    return presentUsers(forge, viewOf(request), ids, page);
  },
});

const userCheckUserBlock = endpoint({
  id: "userCheckUserBlock",
  tag: "user",
  method: "get",
  path: "/user/blocks/{username}",
  summary: "Check whether the caller blocks a user",
  needs,
  isCheck: true,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, user }) =>
    (await isBlocked(forge, actor.user.id, user.id)) ? undefined : no,
});

const userAddBlock = endpoint({
  id: "userAddBlock",
  originalId: "userBlockUser",
  tag: "user",
  method: "put",
  path: "/user/blocks/{username}",
  summary: "Block a user: they can open no issue and write no comment where the caller is owner or author",
  needs: { ...needs, user: "known" },
  query: { note: text.openapi({ description: "a remark for oneself", maxLength: 255 }) },
  status: 204,
  errors: [400, 401, 403, 404, 422],
  handle: ({ forge, actor, user, query }) => blockOnce(forge, actor.user, { user, note: query.note }),
});

const userRemoveBlock = endpoint({
  id: "userRemoveBlock",
  originalId: "userUnblockUser",
  tag: "user",
  method: "delete",
  path: "/user/blocks/{username}",
  summary: "Lift the caller's block of a user",
  needs: { ...needs, user: "known" },
  status: 204,
  errors: [400, 401, 403, 404],
  handle: ({ forge, actor, user }) => unblockOnce(forge, actor.user.id, user),
});

const userListBlockedUsers = endpoint({
  id: "userListBlockedUsers",
  tag: "user",
  method: "get",
  path: "/user/list_blocked",
  summary: "List the ids of the users that the caller blocks",
  needs: listNeeds,
  status: 200,
  returns: { list: BlockedUser },
  errors: [401, 403],
  handle: async ({ forge, actor, page }) => {
    const { items, total } = pageOf(await listBlocks(forge, actor.user.id), page);
    return { items: items.map(presentBlock), total };
  },
});

const userBlockUser = endpoint({
  id: "userBlockUser",
  tag: "user",
  method: "put",
  path: "/user/block/{username}",
  summary: "Block a user: as PUT /user/blocks/{username}",
  needs,
  status: 204,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, actor, user }) => {
    await createBlock(forge, actor.user, user);
    return undefined;
  },
});

const userUnblockUser = endpoint({
  id: "userUnblockUser",
  tag: "user",
  method: "put",
  path: "/user/unblock/{username}",
  summary: "Lift the caller's block of a user: as DELETE /user/blocks/{username}",
  needs,
  status: 204,
  errors: [401, 403, 404],
  handle: unblock,
});

export const userBlockEndpoints = [
  userListBlocks,
  userCheckUserBlock,
  userAddBlock,
  userRemoveBlock,
  userListBlockedUsers,
  userBlockUser,
  userUnblockUser,
];
