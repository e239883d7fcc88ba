import { defined } from "#core/defined";
import { payloadOf } from "#core/hook/delivery";
import { getDelivery, listDeliveries, redeliver } from "#core/hook/history";
import { z } from "#zod";
import { linkWith } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { text } from "../../http/query.ts";
import { HookDelivery, HookDeliveryContent } from "./delivery-schema.ts";
import { type HookPlace, hookAt, withWarning } from "./place.ts";
import { presentContent, presentDelivery } from "./present-delivery.ts";

/** Each may carry 16 KiB of headers. */
const mostListed = 50;

/**
 * The history of the webhooks of one kind of parent, and sending a delivery once more: for those who may see the hook
 * (decision 48).
 */
export function deliveryEndpoints<const N extends Needs>(place: HookPlace<N>): Endpoint[] {
  const { ids, tag, base, of, needs } = place;
  const path = `${base}/hooks/{id}/deliveries` as const;
  const list = endpoint({
    ...{ id: ids.listDeliveries, tag, path, needs },
    method: "get",
    summary: `List the deliveries of a webhook of ${of}, the newest first`,
    description: "Of the last 7 days. While there are older ones, `Link` names the next part.",
    query: {
      before: text.openapi({ description: "only those older than the delivery of this `uuid`" }),
      limit: text.openapi({ type: "integer", description: `at most ${mostListed}` }),
    },
    status: 200,
    returns: { json: z.array(HookDelivery) },
    isSecret: true,
    errors: [401, 403, 404],
    handle: async (request) => {
      const { forge, actor, query, page, url } = request;
      const hook = await hookAt(place, request);
      const limit = Math.min(page.limit, mostListed);
      const asked = { limit, ...defined({ before: query.before || undefined }) };
      const { deliveries, next } = await listDeliveries(forge, hook.id, asked);
      const rows = deliveries.map((delivery) => presentDelivery(actor, hook, delivery));
      if (next === undefined) return new Reply(rows);
      const link = `<${linkWith(url, { before: next, limit: String(limit) })}>; rel="next"`;
      return new Reply(rows, { headers: { link, "access-control-expose-headers": "Link" } });
    },
  });
  return [list, ...singleEndpoints(place, `${path}/{uuid}`)];
}

function singleEndpoints<const N extends Needs>(
  place: HookPlace<N>,
  path: `${string}/hooks/{id}/deliveries/{uuid}`,
): Endpoint[] {
  const { ids, tag, of, needs } = place;
  const get = endpoint({
    ...{ id: ids.getDelivery, tag, path, needs },
    method: "get",
    summary: `Get a delivery of a webhook of ${of}, with what was sent and answered`,
    status: 200,
    returns: { json: HookDeliveryContent },
    isSecret: true,
    errors: [401, 403, 404],
    handle: async (request) => {
      const { forge, actor, params } = request;
      const hook = await hookAt(place, request);
      const delivery = await getDelivery(forge, hook.id, params.uuid);
      return presentContent(actor, hook, delivery, await payloadOf(forge, delivery));
    },
  });
  const again = endpoint({
    ...{ id: ids.redeliver, tag, path: `${path}/redeliver`, needs },
    method: "post",
    summary: `Send a delivery of a webhook of ${of} once more`,
    description:
      "The same payload, to the hook as it is now, as a new delivery with a `uuid` of its own. 409 while the delivery is still tried, 422 when the hook is not active.",
    status: 201,
    returns: { json: HookDelivery },
    isSecret: true,
    errors: [401, 403, 404, 409, 422],
    handle: async (request) => {
      const { forge, actor, params } = request;
      const hook = await hookAt(place, request);
      const delivery = await redeliver(forge, hook, params.uuid);
      return withWarning(forge, hook, presentDelivery(actor, hook, delivery));
    },
  });
  return [get, again];
}
