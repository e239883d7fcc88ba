import { forbidden } from "#core/errors";
import type { Forge } from "#core/forge";
import { createHook, editHook, getHook, hookFormProblem, listHooks, removeHook } from "#core/hook/hook";
import type { Hook as HookItem, HookParent } from "#core/hook/hook.table";
import { targetProblem } from "#core/hook/hook-client";
import { pageOf } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import type { ApiRequest } from "../../http/api-request.ts";
import { type Endpoint, endpoint, type Tag } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { presentHook } from "./present.ts";
import { CreateHookOption, type CreateHookOptionJson, EditHookOption, Hook } from "./schema.ts";
import { changesOf, settingsOf } from "./settings.ts";

type Loaded<N extends Needs> = Pick<
  ApiRequest<N, string, undefined, undefined>,
  "actor" | "access" | "organization"
>;

/** A kind of parent of webhooks: the operations on them are the same everywhere. */
interface HookPlace<N extends Needs> {
  readonly ids: Readonly<Record<"list" | "create" | "get" | "edit" | "remove", string>>;
  readonly tag: Tag;
  /** The path before `/hooks`. */
  readonly base: string;
  /** The parent, in words. */
  readonly of: string;
  readonly note?: string;
  readonly needs: N;
  readonly parentOf: (request: Loaded<N>) => HookParent;
  /** The parent of a new one, if its body has a say in that. */
  readonly parentOfNew?: (body: CreateHookOptionJson) => HookParent;
  /** The parent of the one with this id, if that may be elsewhere. */
  readonly parentOfId?: (forge: Forge, id: number) => Promise<HookParent>;
}

/** Forbidden while webhooks are switched off. */
export function requireWebhooks({ config }: Forge): void {
  if (config.disableWebhooks) throw forbidden("webhooks are switched off (DISABLE_WEBHOOKS)");
}

/** Says early that nothing will be delivered: here in a header, later in each delivery's record and the log. */
export function withWarning<T>(forge: Forge, hook: HookItem, value: T): Reply<T> {
  const problem = hookFormProblem(hook) ?? targetProblem(forge, hook.url);
  if (problem === undefined) return new Reply(value);
  forge.log.warn("hook:not-deliverable", { hookId: hook.id, reason: problem });
  return new Reply(value, { headers: { warning: `299 coldforge "${problem}"` } });
}

/** The operations on the webhooks of one kind of parent: list, create, get, edit and delete (semantics §27.2). */
export function recordEndpoints<const N extends Needs>(place: HookPlace<N>): Endpoint[] {
  return [...wholeEndpoints(place), ...singleEndpoints(place)];
}

function wholeEndpoints<N extends Needs>({ ids, tag, base, of, note, needs, ...place }: HookPlace<N>) {
  const path = `${base}/hooks` as const;
  const list = endpoint({
    ...{ id: ids.list, tag, path, needs },
    method: "get",
    summary: `List the webhooks of ${of}`,
    status: 200,
    returns: { list: Hook },
    isSecret: true,
    errors: [401, 403, 404],
    handle: async (request) => {
      const { forge, page } = request;
      requireWebhooks(forge);
      const listing = pageOf(await listHooks(forge, place.parentOf(request)), page);
      return { ...listing, items: listing.items.map((hook) => presentHook(forge, request.actor, hook)) };
    },
  });
  const create = endpoint({
    ...{ id: ids.create, tag, path, needs },
    method: "post",
    summary: `Create a webhook of ${of}`,
    description:
      `It is inactive unless \`active\` is set. A \`Warning\` header tells that nothing would be delivered, and why. ${note ?? ""}`.trim(),
    thingRights: async ({ forge }) => requireWebhooks(forge),
    body: CreateHookOption,
    status: 201,
    returns: { json: Hook },
    isSecret: true,
    errors: [401, 403, 404, 409, 422],
    handle: async (request) => {
      const { forge, body } = request;
      requireWebhooks(forge);
      const parent = place.parentOfNew?.(body) ?? place.parentOf(request);
      const hook = await createHook(forge, parent, settingsOf(body));
      return withWarning(forge, hook, presentHook(forge, request.actor, hook));
    },
  });
  return [list, create];
}

function singleEndpoints<N extends Needs>({ ids, tag, base, of, needs, ...place }: HookPlace<N>) {
  const path = `${base}/hooks/{id}` as const;
  const parentOf = async (
    request: Loaded<N> & { readonly forge: Forge; readonly params: { readonly id: number } },
  ): Promise<HookParent> => {
    requireWebhooks(request.forge);
    return (await place.parentOfId?.(request.forge, request.params.id)) ?? place.parentOf(request);
  };
  const get = endpoint({
    ...{ id: ids.get, tag, path, needs },
    method: "get",
    summary: `Get a webhook of ${of}`,
    status: 200,
    returns: { json: Hook },
    isSecret: true,
    errors: [401, 403, 404],
    handle: async (request) =>
      presentHook(
        request.forge,
        request.actor,
        await getHook(request.forge, await parentOf(request), request.params.id),
      ),
  });
  const edit = endpoint({
    ...{ id: ids.edit, tag, path, needs },
    method: "patch",
    summary: `Change a webhook of ${of}; what is absent stays`,
    thingRights: async ({ forge }) => requireWebhooks(forge),
    body: EditHookOption,
    status: 200,
    returns: { json: Hook },
    isSecret: true,
    errors: [401, 403, 404, 409, 422],
    handle: async (request) => {
      const { forge, params, body } = request;
      const hook = await editHook(forge, await parentOf(request), params.id, changesOf(body), request.actor);
      return withWarning(forge, hook, presentHook(forge, request.actor, hook));
    },
  });
  const remove = endpoint({
    ...{ id: ids.remove, tag, path, needs },
    method: "delete",
    summary: `Delete a webhook of ${of}`,
    status: 204,
    errors: [401, 403, 404],
    handle: async (request) => {
      await removeHook(request.forge, await parentOf(request), request.params.id);
      return undefined;
    },
  });
  return [get, edit, remove];
}
