import { findHook, getHook } from "#core/hook/hook";
import { requestTest } from "#core/hook/test-delivery";
import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { deliveryEndpoints } from "./delivery-endpoints.ts";
import { type HookPlace, requireWebhooks, withWarning } from "./place.ts";
import { recordEndpoints } from "./record-endpoints.ts";
import { isForNewRepositories } from "./settings.ts";

const needs = { scope: ["repository"], login: true, repository: { mode: "admin" } } as const;

const hookEndpointsOf = <const N extends Needs>(place: HookPlace<N>) => [
  ...recordEndpoints(place),
  ...deliveryEndpoints(place),
];

const repositoryHookEndpoints = hookEndpointsOf({
  ids: {
    ...{ list: "repoListHooks", create: "repoCreateHook", get: "repoGetHook" },
    ...{ edit: "repoEditHook", remove: "repoDeleteHook", listDeliveries: "repoListHookDeliveries" },
    ...{ getDelivery: "repoGetHookDelivery", redeliver: "repoRedeliverHook" },
  },
  tag: "repository",
  base: "/repos/{owner}/{repo}",
  of: "a repository",
  needs,
  parentOf: ({ access }) => ({ kind: "repository", id: access.repository.id }),
});

const organizationHookEndpoints = hookEndpointsOf({
  ids: {
    ...{ list: "orgListHooks", create: "orgCreateHook", get: "orgGetHook" },
    ...{ edit: "orgEditHook", remove: "orgDeleteHook", listDeliveries: "orgListHookDeliveries" },
    ...{ getDelivery: "orgGetHookDelivery", redeliver: "orgRedeliverHook" },
  },
  tag: "organization",
  base: "/orgs/{org}",
  of: "an organization, for all its repositories",
  needs: { scope: ["organization"], login: true, organization: "owner" },
  parentOf: ({ organization }) => ({ kind: "organization", id: organization.organization.id }),
});

const userHookEndpoints = hookEndpointsOf({
  ids: {
    ...{ list: "userListHooks", create: "userCreateHook", get: "userGetHook" },
    ...{ edit: "userEditHook", remove: "userDeleteHook", listDeliveries: "userListHookDeliveries" },
    ...{ getDelivery: "userGetHookDelivery", redeliver: "userRedeliverHook" },
  },
  tag: "user",
  base: "/user",
  of: "the caller, for all their repositories",
  needs: { scope: ["user"], login: true },
  parentOf: ({ actor }) => ({ kind: "user", id: actor.user.id }),
});

const adminHookEndpoints = hookEndpointsOf({
  ids: {
    ...{ list: "adminListHooks", create: "adminCreateHook", get: "adminGetHook" },
    ...{ edit: "adminEditHook", remove: "adminDeleteHook", listDeliveries: "adminListHookDeliveries" },
    ...{ getDelivery: "adminGetHookDelivery", redeliver: "adminRedeliverHook" },
  },
  tag: "admin",
  base: "/admin",
  of: "the system, for all repositories",
  note: 'With `"is_system_webhook": "false"` in `config` it is one that each new repository gets a copy of; such are not listed.',
  needs: { scope: ["admin"], siteAdmin: true },
  parentOf: () => ({ kind: "system" }),
  parentOfNew: (body) => (isForNewRepositories(body) ? { kind: "default" } : { kind: "system" }),
  parentOfId: async (forge, id) =>
    (await findHook(forge, { kind: "default" }, id)) === undefined ? { kind: "system" } : { kind: "default" },
});

const repoTestHook = endpoint({
  id: "repoTestHook",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/hooks/{id}/tests",
  summary: "Send a push to a webhook, to test it",
  description: "Sent only if the hook is active and subscribed to push; an empty repository sends nothing.",
  needs,
  query: {
    ref: z.string().optional().openapi({ description: "the ref to send; the default branch when absent" }),
  },
  status: 204,
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, access, query, params } = request;
    requireWebhooks(forge);
    const hook = await getHook(forge, { kind: "repository", id: access.repository.id }, params.id);
    await requestTest(forge, actor, access.repository, hook, query.ref);
    return withWarning(forge, hook, undefined);
  },
});

export const hookEndpoints = [
  ...repositoryHookEndpoints,
  repoTestHook,
  ...organizationHookEndpoints,
  ...userHookEndpoints,
  ...adminHookEndpoints,
];
