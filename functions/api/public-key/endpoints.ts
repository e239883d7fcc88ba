import { isHiddenFromToken } from "#core/access/public-only";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import {
  createPublicKey,
  findPublicKeyByFingerprint,
  getPublicKey,
  listPublicKeys,
  removePublicKey,
} from "#core/public-key/public-key";
import { findUserById, findVisibleUser } from "#core/user/find";
import type { User } from "#core/user/user.table";
import { type Page, pageOf } from "../../http/answer/paging.ts";
import { type View, viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentPublicKey } from "./present.ts";
import { CreateKeyOption, fingerprint, newKeyOf, PublicKey } from "./schema.ts";

const query = { fingerprint };

async function listed(
  forge: Forge,
  view: View,
  user: User,
  { fingerprint, page }: { fingerprint: string | undefined; page: Page },
) {
  const { items, ...rest } = pageOf(await listPublicKeys(forge, user.id, fingerprint), page);
  return { items: items.map((key) => presentPublicKey(view, user, key)), ...rest };
}

/** The key with a fingerprint and its owner, unless the owner is hidden from the caller. */
async function withOwner(forge: Forge, actor: Actor, fingerprint: string) {
  const key = await findPublicKeyByFingerprint(forge, fingerprint);
  const owner = key === undefined ? undefined : await findUserById(forge, key.userId);
  const user = owner === undefined ? undefined : await findVisibleUser(forge, actor, owner.name);
  return key === undefined || user === undefined || isHiddenFromToken(actor, { owner: user })
    ? []
    : [{ key, user }];
}

const userCurrentListKeys = endpoint({
  id: "userCurrentListKeys",
  tag: "user",
  method: "get",
  path: "/user/keys",
  summary: "List the caller's public keys, or anybody's one with a fingerprint",
  needs: { scope: ["user"], login: true },
  query,
  status: 200,
  returns: { list: PublicKey },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor, query, page } = request;
    const view = viewOf(request);
    if (query.fingerprint === undefined)
      return listed(forge, view, actor.user, { fingerprint: undefined, page });
    const found = await withOwner(forge, actor, query.fingerprint);
    const { items, total } = pageOf(found, page);
    return { items: items.map(({ key, user }) => presentPublicKey(view, user, key)), total };
  },
});

const userCurrentPostKey = endpoint({
  id: "userCurrentPostKey",
  tag: "user",
  method: "post",
  path: "/user/keys",
  summary: "Add a public key to the caller's account",
  description: "Commits and tags that it signs are shown as verified. Git is served only over HTTP.",
  needs: { scope: ["user"], login: true },
  body: CreateKeyOption,
  status: 201,
  returns: { json: PublicKey },
  errors: [401, 403, 422],
  handle: async (request) => {
    const { forge, actor, body } = request;
    const key = await createPublicKey(forge, actor.user.id, newKeyOf(body));
    return presentPublicKey(viewOf(request), actor.user, key);
  },
});

const userCurrentGetKey = endpoint({
  id: "userCurrentGetKey",
  tag: "user",
  method: "get",
  path: "/user/keys/{id}",
  summary: "Get one of the caller's public keys",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { json: PublicKey },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, params } = request;
    const key = await getPublicKey(forge, actor.user.id, params.id);
    return presentPublicKey(viewOf(request), actor.user, key);
  },
});

const userCurrentDeleteKey = endpoint({
  id: "userCurrentDeleteKey",
  tag: "user",
  method: "delete",
  path: "/user/keys/{id}",
  summary: "Remove one of the caller's public keys",
  needs: { scope: ["user"], login: true },
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, params }) => {
    await removePublicKey(forge, actor.user.id, params.id);
    return undefined;
  },
});

const userListKeys = endpoint({
  id: "userListKeys",
  tag: "user",
  method: "get",
  path: "/users/{username}/keys",
  summary: "List a user's public keys",
  needs: { scope: ["user"], login: true, user: "visible" },
  query,
  status: 200,
  returns: { list: PublicKey },
  errors: [401, 404],
  handle: async (request) => {
    const { forge, user, query, page } = request;
    return listed(forge, viewOf(request), user, { fingerprint: query.fingerprint, page });
  },
});

const adminCreatePublicKey = endpoint({
  id: "adminCreatePublicKey",
  tag: "admin",
  method: "post",
  path: "/admin/users/{username}/keys",
  summary: "Add a public key to a user's account",
  needs: { scope: ["admin"], siteAdmin: true, user: "visible" },
  body: CreateKeyOption,
  status: 201,
  returns: { json: PublicKey },
  errors: [401, 403, 404, 422],
  handle: async (request) => {
    const { forge, user, body } = request;
    const key = await createPublicKey(forge, user.id, newKeyOf(body));
    return presentPublicKey(viewOf(request), user, key);
  },
});

const adminDeleteUserPublicKey = endpoint({
  id: "adminDeleteUserPublicKey",
  tag: "admin",
  method: "delete",
  path: "/admin/users/{username}/keys/{id}",
  summary: "Remove a user's public key",
  needs: { scope: ["admin"], siteAdmin: true, user: "visible" },
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, user, params }) => {
    await removePublicKey(forge, user.id, params.id);
    return undefined;
  },
});

export const publicKeyEndpoints = [
  userCurrentListKeys,
  userCurrentPostKey,
  userCurrentGetKey,
  userCurrentDeleteKey,
  userListKeys,
  adminCreatePublicKey,
  adminDeleteUserPublicKey,
];
