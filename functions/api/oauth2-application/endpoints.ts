import {
  type ApplicationWithSecret,
  createOAuth2Application,
  getOAuth2Application,
  listOAuth2Applications,
  removeOAuth2Application,
  replaceOAuth2Application,
} from "#core/oauth2-application/oauth2-application";
import type { OAuth2Application as Application } from "#core/oauth2-application/oauth2-application.table";
import { requireOwnCredential } from "#core/token/token";
import type { z } from "#zod";
import { pageOf } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { timestamp } from "../../http/timestamps.ts";
import { CreateOAuth2ApplicationOptions, OAuth2Application, type OAuth2ApplicationJson } from "./schema.ts";

const needs = { scope: ["user"], login: true } as const;

const presentApplication = (application: Application, secret = ""): OAuth2ApplicationJson => ({
  id: application.id,
  name: application.name,
  client_id: application.clientId,
  client_secret: secret,
  confidential_client: application.isConfidential,
  redirect_uris: [...application.redirectUris],
  created: timestamp(application.createdAt),
});

const presentNew = ({ application, secret }: ApplicationWithSecret): OAuth2ApplicationJson =>
  presentApplication(application, secret);

const fieldsFrom = (body: z.infer<typeof CreateOAuth2ApplicationOptions>) => ({
  name: body.name,
  redirectUris: body.redirect_uris,
  isConfidential: body.confidential_client ?? false,
});

const userGetOAuth2Applications = endpoint({
  id: "userGetOAuth2Applications",
  tag: "user",
  method: "get",
  path: "/user/applications/oauth2",
  summary: "List the OAuth2 applications that the caller registered",
  needs,
  status: 200,
  returns: { list: OAuth2Application },
  errors: [401, 403],
  handle: async ({ forge, actor, page }) => {
    const { items, ...rest } = pageOf(await listOAuth2Applications(forge, actor.user), page);
    return { items: items.map((application) => presentApplication(application)), ...rest };
  },
});

const userCreateOAuth2Application = endpoint({
  id: "userCreateOAuth2Application",
  tag: "user",
  method: "post",
  path: "/user/applications/oauth2",
  summary: "Register an OAuth2 application",
  description: "The answer is the only one that has its secret.",
  needs,
  body: CreateOAuth2ApplicationOptions,
  status: 201,
  returns: { json: OAuth2Application },
  isSecret: true,
  errors: [400, 401, 403, 404, 422],
  handle: async ({ forge, actor, body }) =>
    presentNew(await createOAuth2Application(forge, actor.user, fieldsFrom(body))),
});

const userGetOAuth2Application = endpoint({
  id: "userGetOAuth2Application",
  tag: "user",
  method: "get",
  path: "/user/applications/oauth2/{id}",
  summary: "Get an OAuth2 application that the caller registered",
  needs,
  status: 200,
  returns: { json: OAuth2Application },
  errors: [401, 403, 404],
  handle: async ({ forge, actor, params }) =>
    presentApplication(await getOAuth2Application(forge, actor.user, params.id)),
});

const userUpdateOAuth2Application = endpoint({
  id: "userUpdateOAuth2Application",
  tag: "user",
  method: "patch",
  path: "/user/applications/oauth2/{id}",
  summary: "Replace an OAuth2 application's name, addresses, kind and secret",
  description: "The secret before no longer counts, and the answer is the only one that has the new one.",
  needs,
  body: CreateOAuth2ApplicationOptions,
  status: 200,
  returns: { json: OAuth2Application },
  isSecret: true,
  errors: [401, 403, 404, 422],
  handle: async ({ forge, actor, params, body }) => {
    // Whoever gets the new secret and says where users are sent to gets what users let the application do.
    requireOwnCredential(actor.grant, "change an OAuth2 application");
    return presentNew(await replaceOAuth2Application(forge, actor.user, params.id, fieldsFrom(body)));
  },
});

const userDeleteOAuth2Application = endpoint({
  id: "userDeleteOAuth2Application",
  tag: "user",
  method: "delete",
  path: "/user/applications/oauth2/{id}",
  summary: "Delete an OAuth2 application",
  needs,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, actor, params }) => {
    await removeOAuth2Application(forge, actor.user, params.id);
    return undefined;
  },
});

export const oauth2ApplicationEndpoints = [
  userGetOAuth2Applications,
  userCreateOAuth2Application,
  userGetOAuth2Application,
  userUpdateOAuth2Application,
  userDeleteOAuth2Application,
];
