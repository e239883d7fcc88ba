import {
  createToken,
  getTokenOfGrant,
  listTokens,
  removeTokenByIdOrName,
  removeTokenOfGrant,
} from "#core/token/token";
import type { Token } from "#core/token/token.table";
import { pageOf } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { optionalTimestamp, secondsFrom, timestamp } from "../../http/timestamps.ts";
import { AccessToken, type AccessTokenJson, CreateAccessTokenOption, CurrentAccessToken } from "./schema.ts";

/** `text` is the token itself: known only when it is created. */
const presentToken = (token: Token, text = ""): AccessTokenJson => ({
  id: token.id,
  name: token.name,
  sha1: text,
  token_last_eight: token.lastEight,
  scopes: [...token.scopes],
  created_at: timestamp(token.createdAt),
  last_used_at: optionalTimestamp(token.lastUsedAt),
  expires_at: optionalTimestamp(token.expiresAt ?? 0),
});

const userGetTokens = endpoint({
  id: "userGetTokens",
  tag: "user",
  method: "get",
  path: "/users/{username}/tokens",
  summary: "List a user's access tokens",
  needs: { scope: ["user"], user: "self-or-admin" },
  status: 200,
  returns: { list: AccessToken },
  errors: [401, 403, 404],
  handle: async ({ forge, user, page }) => {
    const { items, ...rest } = pageOf(await listTokens(forge, user), page);
    return { items: items.map((token) => presentToken(token)), ...rest };
  },
});

const userCreateToken = endpoint({
  id: "userCreateToken",
  tag: "user",
  method: "post",
  path: "/users/{username}/tokens",
  summary: "Create an access token",
  description:
    "A token used to create another one must cover its scopes, and its time (D-TOKEN). The new one ends with it, and creates none itself.",
  needs: { scope: ["user"], user: "self-or-admin" },
  body: CreateAccessTokenOption,
  status: 201,
  returns: { json: AccessToken },
  isSecret: true,
  errors: [400, 401, 403, 404, 422],
  handle: async ({ forge, user, body, actor }) => {
    const { name, scopes, expires_at: end } = body;
    const expiresAt = end === undefined ? undefined : secondsFrom(end);
    const { token, text } = await createToken(forge, user, { name, scopes, expiresAt }, actor.grant);
    return presentToken(token, text);
  },
});

const userDeleteAccessToken = endpoint({
  id: "userDeleteAccessToken",
  tag: "user",
  method: "delete",
  path: "/users/{username}/tokens/{token}",
  summary: "Delete an access token by id or name",
  needs: { scope: ["user"], user: "self-or-admin" },
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, user, params }) => {
    await removeTokenByIdOrName(forge, user, params.token);
    return undefined;
  },
});

const getCurrentToken = endpoint({
  id: "getCurrentToken",
  tag: "miscellaneous",
  method: "get",
  path: "/token",
  summary: "Get the access token that the request is made with",
  needs: { login: true },
  status: 200,
  returns: { json: CurrentAccessToken },
  errors: [401, 403, 404],
  handle: async ({ forge, actor }) => {
    const token = await getTokenOfGrant(forge, actor.grant);
    const { id, name, scopes, created_at, last_used_at } = presentToken(token);
    const { user } = actor;
    return { id, name, scopes, created_at, last_used_at, user: { id: user.id, login: user.name } };
  },
});

const deleteCurrentToken = endpoint({
  id: "deleteCurrentToken",
  tag: "miscellaneous",
  method: "delete",
  path: "/token",
  summary: "Delete the access token that the request is made with",
  needs: { login: true },
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor }) => {
    await removeTokenOfGrant(forge, actor.grant);
    return undefined;
  },
});

export const tokenEndpoints = [
  userGetTokens,
  userCreateToken,
  userDeleteAccessToken,
  getCurrentToken,
  deleteCurrentToken,
];
