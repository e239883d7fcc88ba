import type { Forge } from "#core/forge";
import {
  createGpgKey,
  getGpgKey,
  gpgVerificationToken,
  listGpgKeys,
  removeGpgKey,
  verifyGpgKeyOwnership,
} from "#core/gpg-key/gpg-key";
import type { GpgKey } from "#core/gpg-key/gpg-key.table";
import type { User } from "#core/user/user.table";
import { verifiedEmails } from "#core/user/verified-emails";
import { type Page, pageOf } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentGpgKey } from "./present.ts";
import { CreateGPGKeyOption, GPGKey, type GPGKeyJson, VerifyGpgKeyOption } from "./schema.ts";

async function presentAll(forge: Forge, user: User, keys: readonly GpgKey[]): Promise<GPGKeyJson[]> {
  const emails = keys.flatMap((key) => key.emails);
  const activated = await verifiedEmails(forge, user, emails);
  return keys.map((key) => presentGpgKey(key, activated));
}

const presentOne = async (forge: Forge, user: User, key: GpgKey): Promise<GPGKeyJson> => {
  const activated = await verifiedEmails(forge, user, key.emails);
  return presentGpgKey(key, activated);
};

async function listed(forge: Forge, user: User, page: Page) {
  const { items, ...rest } = pageOf(await listGpgKeys(forge, user.id), page);
  return { items: await presentAll(forge, user, items), ...rest };
}

const userCurrentListGPGKeys = endpoint({
  id: "userCurrentListGPGKeys",
  tag: "user",
  method: "get",
  path: "/user/gpg_keys",
  summary: "List the caller's GPG keys",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { list: GPGKey },
  errors: [401, 403],
  handle: async ({ forge, actor, page }) => listed(forge, actor.user, page),
});

const userCurrentPostGPGKey = endpoint({
  id: "userCurrentPostGPGKey",
  tag: "user",
  method: "post",
  path: "/user/gpg_keys",
  summary: "Add a GPG key to the caller's account",
  description:
    "It must name an activated address of the caller's, or come with a signature of the token that /user/gpg_key_token answers.",
  cost: "heavy",
  needs: { scope: ["user"], login: true },
  body: CreateGPGKeyOption,
  status: 201,
  returns: { json: GPGKey },
  errors: [401, 403, 404, 422],
  handle: async ({ forge, actor, body }) => {
    const given = { armoredKey: body.armored_public_key, armoredSignature: body.armored_signature };
    return presentOne(forge, actor.user, await createGpgKey(forge, actor.user, given));
  },
});

const userCurrentGetGPGKey = endpoint({
  id: "userCurrentGetGPGKey",
  tag: "user",
  method: "get",
  path: "/user/gpg_keys/{id}",
  summary: "Get one of the caller's GPG keys",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { json: GPGKey },
  errors: [401, 403, 404],
  handle: async ({ forge, actor, params }) =>
    presentOne(forge, actor.user, await getGpgKey(forge, actor.user.id, params.id)),
});

const userCurrentDeleteGPGKey = endpoint({
  id: "userCurrentDeleteGPGKey",
  tag: "user",
  method: "delete",
  path: "/user/gpg_keys/{id}",
  summary: "Remove one of the caller's GPG keys",
  needs: { scope: ["user"], login: true },
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, params }) => {
    await removeGpgKey(forge, actor.user.id, params.id);
    return undefined;
  },
});

const userListGPGKeys = endpoint({
  id: "userListGPGKeys",
  tag: "user",
  method: "get",
  path: "/users/{username}/gpg_keys",
  summary: "List a user's GPG keys",
  needs: { scope: ["user"], login: true, user: "visible" },
  status: 200,
  returns: { list: GPGKey },
  errors: [401, 404],
  handle: async ({ forge, user, page }) => listed(forge, user, page),
});

const getVerificationToken = endpoint({
  id: "getVerificationToken",
  tag: "user",
  method: "get",
  path: "/user/gpg_key_token",
  summary: "Get a token to sign with a GPG key",
  description: "It shows that the key is the caller's; valid for an hour at least.",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { text: true },
  isSecret: true,
  errors: [401, 403, 404],
  handle: async ({ forge, actor }) => gpgVerificationToken(forge, actor.user),
});

const userVerifyGPGKey = endpoint({
  id: "userVerifyGPGKey",
  tag: "user",
  method: "post",
  path: "/user/gpg_key_verify",
  summary: "Show that a GPG key is the caller's, by a signature of the token",
  cost: "heavy",
  needs: { scope: ["user"], login: true },
  body: VerifyGpgKeyOption,
  status: 201,
  returns: { json: GPGKey },
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, body }) => {
    const given = { keyId: body.key_id, armoredSignature: body.armored_signature };
    return presentOne(forge, actor.user, await verifyGpgKeyOwnership(forge, actor.user, given));
  },
});

export const gpgKeyEndpoints = [
  userCurrentListGPGKeys,
  userCurrentPostGPGKey,
  userCurrentGetGPGKey,
  userCurrentDeleteGPGKey,
  userListGPGKeys,
  getVerificationToken,
  userVerifyGPGKey,
];
