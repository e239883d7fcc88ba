import { createHmac } from "node:crypto";
import { type EventType, eventGroup } from "../event-types.ts";
import type { HookContentType } from "../hook.table.ts";

/** A delivery as it is sent (semantics §27.8). */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const families = ["Forgejo", "Gitea", "Gogs", "GitHub"] as const;
const signingFamilies = ["Forgejo", "Gitea", "Gogs"] as const;

/** Packs and signs a payload. The signatures cover the JSON text, also when it travels as a form's field. */
export function signedRequest(given: {
  readonly deliveryId: string;
  readonly eventType: EventType;
  readonly contentType: HookContentType;
  readonly payload: string;
  readonly secret: string;
  readonly authorizationHeader: string;
}): SignedRequest {
  const isForm = given.contentType === "form";
  const { authorizationHeader } = given;
  return {
    headers: {
      "Content-Type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      "User-Agent": "coldforge-hook",
      ...namingHeaders(given.deliveryId, given.eventType),
      ...signatureHeaders(given.payload, given.secret),
      ...(authorizationHeader === "" ? {} : { Authorization: authorizationHeader }),
    },
    body: isForm ? new URLSearchParams({ payload: given.payload }).toString() : given.payload,
  };
}

function namingHeaders(deliveryId: string, eventType: EventType): Record<string, string> {
  const headers = families.flatMap((family) => [
    [`X-${family}-Delivery`, deliveryId],
    [`X-${family}-Event`, eventGroup(eventType)],
    [`X-${family}-Event-Type`, eventType],
  ]);
  return Object.fromEntries(headers);
}

/** Without a secret the headers are there, with empty signatures. */
function signatureHeaders(payload: string, secret: string): Record<string, string> {
  const sign = (algorithm: "sha1" | "sha256") =>
    secret === "" ? "" : createHmac(algorithm, secret).update(payload).digest("hex");
  const sha256 = sign("sha256");
  return {
    ...Object.fromEntries(signingFamilies.map((family) => [`X-${family}-Signature`, sha256])),
    "X-Hub-Signature": `sha1=${sign("sha1")}`,
    "X-Hub-Signature-256": `sha256=${sha256}`,
  };
}
