import type { EventType } from "../event-types.ts";
import type { Hook, HookType } from "../hook.table.ts";
import { type ChatSettings, discordBody, slackBody, teamsBody } from "./cards.ts";
import { type ChatMessage, chatMessage } from "./chat-message.ts";
import type { EventPayload } from "./event-payload.ts";
import { dingtalkBody, feishuBody, matrixBody, telegramBody, wechatworkBody } from "./texts.ts";

/** A delivery to a service that takes other bodies than the payload. */
export interface ServiceRequest {
  readonly method: "POST" | "PUT";
  readonly url: string;
  /** JSON text. */
  readonly body: string;
}

type MadeForService = Exclude<HookType, "forgejo" | "gitea" | "gogs" | "packagist">;
const bodies: Readonly<Record<MadeForService, (message: ChatMessage, settings: ChatSettings) => object>> = {
  slack: slackBody,
  discord: discordBody,
  msteams: teamsBody,
  telegram: telegramBody,
  matrix: (message, { message_type: kind }) => matrixBody(message, kind || "m.notice"),
  dingtalk: dingtalkBody,
  feishu: feishuBody,
  wechatwork: wechatworkBody,
};

/**
 * What a chat service, or Packagist, is sent of an event; undefined for hooks that take the payload as it is. `payload`
 * is JSON text.
 */
export function serviceRequest(
  hook: Pick<Hook, "type" | "url" | "chat">,
  { id, eventType }: { readonly id: string; readonly eventType: EventType },
  payload: string,
): ServiceRequest | undefined {
  const { type, url, chat } = hook;
  if (type === "forgejo" || type === "gitea" || type === "gogs") return undefined;
  const event = JSON.parse(payload) as EventPayload;
  if (type === "packagist") {
    const repository = { url: chat.package_url || event.repository?.html_url };
    return { method: "POST", url, body: JSON.stringify({ repository }, null, 2) };
  }
  const body = JSON.stringify(bodies[type](chatMessage(eventType, event), chat), null, 2);
  return type === "matrix"
    ? { method: "PUT", url: withTransaction(url, id), body }
    : { method: "POST", url, body };
}

/** Matrix takes a message once per transaction: the delivery's id, so that a repeated attempt makes no second message. */
function withTransaction(address: string, id: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${id}`;
  return url.href;
}
