import { createHook, editHook, listHooks, removeHook } from "#core/hook/hook";
import { pageOf } from "../../http/answer/paging.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { type HookPlace, hookAt, parentAt, requireWebhooks, withWarning } from "./place.ts";
import { presentHook } from "./present.ts";
import { CreateHookOption, EditHookOption, Hook } from "./schema.ts";
import { changesOf, settingsOf } from "./settings.ts";

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

function singleEndpoints<N extends Needs>(place: HookPlace<N>) {
  const { ids, tag, base, of, needs } = place;
  const path = `${base}/hooks/{id}` as const;
  const get = endpoint({
    ...{ id: ids.get, tag, path, needs },
    method: "get",
    summary: `Get a webhook of ${of}`,
    status: 200,
    returns: { json: Hook },
    isSecret: true,
    errors: [401, 403, 404],
    handle: async (request) => presentHook(request.forge, request.actor, await hookAt(place, request)),
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
      const hook = await editHook(
        forge,
        await parentAt(place, request),
        params.id,
        changesOf(body),
        request.actor,
      );
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
      await removeHook(request.forge, await parentAt(place, request), request.params.id);
      return undefined;
    },
  });
  return [get, edit, remove];
}
