import { z } from "@hono/zod-openapi";
import type { RepositoryAccess } from "#core/access/repository-access";
import { forbidden } from "#core/errors";
import type { Forge } from "#core/forge";
import * as hooks from "#core/hook/hook";
import type { Hook as HookItem, HookParent } from "#core/hook/hook.table";
import { targetProblem } from "#core/hook/hook-client";
import { requestTest } from "#core/hook/test-delivery";
import { endpoint, Reply } from "../endpoint.ts";
import { pageOf } from "../paging.ts";
import { presentHook } from "./present.ts";
import { CreateHookOption, EditHookOption, Hook } from "./schema.ts";
import { changesOf, settingsOf } from "./settings.ts";

const needs = { scope: ["repository"], login: true, repository: { mode: "admin" } } as const;

/** The repository as the parent of hooks. Forbidden while webhooks are switched off. */
function parentOf({ forge, access }: { forge: Forge; access: RepositoryAccess }): HookParent {
  if (forge.config.disableWebhooks) throw forbidden("webhooks are switched off (DISABLE_WEBHOOKS)");
  return { kind: "repository", id: access.repository.id };
}

/** Tells early that nothing will be delivered: here in a header, with each delivery in its record and the log. */
function withWarning<T>(forge: Forge, hook: HookItem, value: T): Reply<T> {
  const problem = hooks.formProblem(hook) ?? targetProblem(forge, hook.url);
  if (problem === undefined) return new Reply(value);
  forge.log.warn("hook:not-deliverable", { hookId: hook.id, reason: problem });
  return new Reply(value, { headers: { warning: `299 coldforge "${problem}"` } });
}

const repoListHooks = endpoint({
  id: "repoListHooks",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/hooks",
  summary: "List a repository's webhooks",
  needs,
  status: 200,
  returns: { list: Hook },
  isSecret: true,
  errors: [401, 403, 404],
  handle: async (request) => {
    const listing = pageOf(await hooks.list(request.forge, parentOf(request)), request.page);
    return { ...listing, items: listing.items.map((hook) => presentHook(request.forge, hook)) };
  },
});

const repoCreateHook = endpoint({
  id: "repoCreateHook",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/hooks",
  summary: "Create a webhook",
  description:
    "It is inactive unless `active` is set. A `Warning` header tells that nothing would be delivered, and why.",
  needs,
  body: CreateHookOption,
  status: 201,
  returns: { json: Hook },
  isSecret: true,
  errors: [401, 403, 404, 422],
  handle: async (request) => {
    const { forge } = request;
    const hook = await hooks.create(forge, parentOf(request), settingsOf(request.body));
    return withWarning(forge, hook, presentHook(forge, hook));
  },
});

const repoGetHook = endpoint({
  id: "repoGetHook",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/hooks/{id}",
  summary: "Get a webhook",
  needs,
  status: 200,
  returns: { json: Hook },
  isSecret: true,
  errors: [401, 403, 404],
  handle: async (request) =>
    presentHook(request.forge, await hooks.get(request.forge, parentOf(request), request.params.id)),
});

const repoEditHook = endpoint({
  id: "repoEditHook",
  tag: "repository",
  method: "patch",
  path: "/repos/{owner}/{repo}/hooks/{id}",
  summary: "Change a webhook; what is absent stays",
  needs,
  body: EditHookOption,
  status: 200,
  returns: { json: Hook },
  isSecret: true,
  errors: [401, 403, 404, 422],
  handle: async (request) => {
    const { forge } = request;
    const hook = await hooks.edit(forge, parentOf(request), request.params.id, changesOf(request.body));
    return withWarning(forge, hook, presentHook(forge, hook));
  },
});

const repoDeleteHook = endpoint({
  id: "repoDeleteHook",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/hooks/{id}",
  summary: "Delete a webhook",
  needs,
  status: 204,
  errors: [401, 403, 404],
  handle: async (request) => {
    await hooks.remove(request.forge, parentOf(request), request.params.id);
    return undefined;
  },
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
    const { forge, actor, access, query } = request;
    const hook = await hooks.get(forge, parentOf(request), request.params.id);
    await requestTest(forge, actor, access.repository, hook, query.ref);
    return withWarning(forge, hook, undefined);
  },
});

export const hookEndpoints = [
  repoListHooks,
  repoCreateHook,
  repoGetHook,
  repoEditHook,
  repoDeleteHook,
  repoTestHook,
];
