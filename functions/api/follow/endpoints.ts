import { createFollow, isFollowing, listFollowed, listFollowers, removeFollow } from "#core/follow/follow";
import type { Forge } from "#core/forge";
import { findVisibleUser } from "#core/user/find";
import { listUsersOf } from "#core/user/list";
import type { Listing, Page } from "../../http/answer/paging.ts";
import { no } from "../../http/answer/reply.ts";
import { type View, viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentUser } from "../user/present.ts";
import { User, type UserJson } from "../user/schema.ts";

const own = { tag: "user", needs: { scope: ["user"], login: true } } as const;
const named = { tag: "user", needs: { scope: ["user"], login: true, user: "visible" } } as const;

/** A page of the users that the caller may know of. */
async function presentAll(
  forge: Forge,
  view: View,
  ids: ReadonlySet<number>,
  page: Page,
): Promise<Listing<UserJson>> {
  const found = await listUsersOf(forge, view.actor, ids, page);
  return { ...found, items: found.items.map((user) => presentUser(view, user)) };
}

const userCurrentListFollowers = endpoint({
  ...own,
  id: "userCurrentListFollowers",
  method: "get",
  path: "/user/followers",
  summary: "List the users who follow the caller",
  status: 200,
  returns: { list: User },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor, page } = request;
    return presentAll(forge, viewOf(request), await listFollowers(forge, actor.user.id), page);
  },
});

const userCurrentListFollowing = endpoint({
  ...own,
  id: "userCurrentListFollowing",
  method: "get",
  path: "/user/following",
  summary: "List the users that the caller follows",
  status: 200,
  returns: { list: User },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor, page } = request;
    return presentAll(forge, viewOf(request), await listFollowed(forge, actor.user.id), page);
  },
});

const userCurrentCheckFollowing = endpoint({
  ...named,
  id: "userCurrentCheckFollowing",
  method: "get",
  path: "/user/following/{username}",
  summary: "Check whether the caller follows a user",
  isCheck: true,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, user }) =>
    (await isFollowing(forge, actor.user.id, user.id)) ? undefined : no,
});

const userCurrentPutFollow = endpoint({
  ...named,
  id: "userCurrentPutFollow",
  method: "put",
  path: "/user/following/{username}",
  summary: "Follow a user",
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, user }) => {
    await createFollow(forge, actor.user, user);
    return undefined;
  },
});

const userCurrentDeleteFollow = endpoint({
  ...named,
  id: "userCurrentDeleteFollow",
  method: "delete",
  path: "/user/following/{username}",
  summary: "Follow a user no more",
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, user }) => {
    await removeFollow(forge, actor.user.id, user.id);
    return undefined;
  },
});

const userListFollowers = endpoint({
  ...named,
  id: "userListFollowers",
  method: "get",
  path: "/users/{username}/followers",
  summary: "List the users who follow a user",
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, user, page } = request;
    return presentAll(forge, viewOf(request), await listFollowers(forge, user.id), page);
  },
});

const userListFollowing = endpoint({
  ...named,
  id: "userListFollowing",
  method: "get",
  path: "/users/{username}/following",
  summary: "List the users that a user follows",
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, user, page } = request;
    return presentAll(forge, viewOf(request), await listFollowed(forge, user.id), page);
  },
});

const userCheckFollowing = endpoint({
  ...named,
  id: "userCheckFollowing",
  method: "get",
  path: "/users/{username}/following/{target}",
  summary: "Check whether a user follows another",
  isCheck: true,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, user, params }) => {
    const target = await findVisibleUser(forge, actor, params.target);
    const isFollower = target !== undefined && (await isFollowing(forge, user.id, target.id));
    return isFollower ? undefined : no;
  },
});

export const followEndpoints = [
  userCurrentListFollowers,
  userCurrentListFollowing,
  userCurrentCheckFollowing,
  userCurrentPutFollow,
  userCurrentDeleteFollow,
  userListFollowers,
  userListFollowing,
  userCheckFollowing,
];
