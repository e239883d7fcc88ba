import { notFound } from "#core/errors";
import { storeAvatar } from "#core/owner/avatar";
import { editUser, setUserAvatar } from "#core/user/edit";
import { searchUsers } from "#core/user/list";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { integer, text } from "../../http/query.ts";
import { presentOwner } from "../organization/present.ts";
import { UpdateUserAvatarOption } from "../organization/schema.ts";
import { settingsFrom } from "./changes.ts";
import { presentSettings, presentUser } from "./present.ts";
import { User, UserSearchResults, UserSettings, UserSettingsOptions } from "./schema.ts";

const userGetCurrent = endpoint({
  id: "userGetCurrent",
  tag: "user",
  method: "get",
  path: "/user",
  summary: "Get the authenticated user",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { json: User },
  errors: [401, 403],
  handle: async (request) => presentUser(viewOf(request), request.actor.user),
});

const userGet = endpoint({
  id: "userGet",
  tag: "user",
  method: "get",
  path: "/users/{username}",
  summary: "Get a user, an organization in the form of one, or a system user",
  needs: { scope: ["user"], user: "known", explore: true },
  status: 200,
  returns: { json: User },
  errors: [404],
  handle: async (request) => presentOwner(viewOf(request), request.user),
});

const userSearch = endpoint({
  id: "userSearch",
  tag: "user",
  method: "get",
  path: "/users/search",
  summary: "Search for users",
  description: "Individuals alone; system users by their ids.",
  cost: "heavy",
  needs: { scope: ["user"], explore: true },
  query: {
    q: text.openapi({ description: "a part of login or full name, or a whole e-mail address" }),
    uid: integer.openapi({ description: "only this user; -1: the ghost user, -2: the actions user" }),
  },
  status: 200,
  returns: { search: UserSearchResults },
  errors: [404, 422],
  handle: async (request) => {
    const { forge, actor, query, page } = request;
    if (forge.config.disableUsersPage) throw notFound("the search for users is switched off");
    const asked = { keyword: query.q ?? "", userId: query.uid ?? 0 };
    const found = await searchUsers(forge, actor, asked, page);
    return { ...found, items: found.items.map((user) => presentUser(viewOf(request), user)) };
  },
});

const getUserSettings = endpoint({
  id: "getUserSettings",
  tag: "user",
  method: "get",
  path: "/user/settings",
  summary: "Get the caller's settings",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { json: UserSettings },
  errors: [401, 403],
  handle: async ({ forge, actor }) => presentSettings(forge.config, actor.user),
});

const updateUserSettings = endpoint({
  id: "updateUserSettings",
  tag: "user",
  method: "patch",
  path: "/user/settings",
  summary: "Change the caller's settings; absent fields stay as they are",
  needs: { scope: ["user"], login: true },
  body: UserSettingsOptions,
  status: 200,
  returns: { json: UserSettings },
  errors: [401, 403, 409, 422],
  handle: async ({ forge, actor, body }) =>
    presentSettings(forge.config, await editUser(forge, actor.user, settingsFrom(body))),
});

const userUpdateAvatar = endpoint({
  id: "userUpdateAvatar",
  tag: "user",
  method: "post",
  path: "/user/avatar",
  summary: "Set the caller's picture",
  needs: { scope: ["user"], login: true },
  body: UpdateUserAvatarOption,
  bodyBytes: 2 * 1024 * 1024,
  status: 204,
  errors: [401, 403, 409, 422],
  handle: async ({ forge, actor, body }) => {
    await setUserAvatar(forge, actor.user, await storeAvatar(forge, body.image));
    return undefined;
  },
});

const userDeleteAvatar = endpoint({
  id: "userDeleteAvatar",
  tag: "user",
  method: "delete",
  path: "/user/avatar",
  summary: "Take the caller's picture away",
  needs: { scope: ["user"], login: true },
  status: 204,
  errors: [401, 403, 409],
  handle: async ({ forge, actor }) => {
    await setUserAvatar(forge, actor.user, undefined);
    return undefined;
  },
});

export const userEndpoints = [
  userGetCurrent,
  userSearch,
  userGet,
  getUserSettings,
  updateUserSettings,
  userUpdateAvatar,
  userDeleteAvatar,
];
