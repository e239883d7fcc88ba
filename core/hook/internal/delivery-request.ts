import type { Forge } from "../../forge.ts";
import { serviceRequest } from "../chat/chat-request.ts";
import type { Delivery } from "../delivery.table.ts";
import type { Hook } from "../hook.table.ts";
import { hookSecretsOf } from "../secrets.ts";
import { type SignedRequest, signedRequest } from "./signed-request.ts";

/** A delivery's request as it goes out. */
export interface DeliveryRequest extends SignedRequest {
  readonly url: string;
  readonly method: string;
}

/** The request of a delivery. A chat service gets a message about the event, signed like the payload that others get. */
export function deliveryRequest(
  forge: Forge,
  hook: Hook,
  delivery: Delivery,
  payload: string,
): DeliveryRequest {
  const { eventType, id: deliveryId } = delivery;
  const secrets = hookSecretsOf(forge, hook);
  const message = serviceRequest(hook, delivery, payload);
  const signed = signedRequest({
    ...{ deliveryId, eventType, ...secrets },
    ...(message === undefined
      ? { contentType: hook.contentType, payload }
      : { contentType: "json", payload: message.body }),
  });
  return { url: message?.url ?? hook.url, method: message?.method ?? "POST", ...signed };
}
