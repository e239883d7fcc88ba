import { eventTypes } from "#core/hook/event-types";
import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

const headers = z.record(z.string(), z.string());

const HookDeliveryAttempt = z
  .object({
    number: z.int().openapi({ description: "from 1" }),
    started_at: dateTime,
    duration_ms: z.int(),
    outcome: z.enum(["answered", "no-answer", "refused", "interrupted"]),
    status: z.int().nullable().openapi({ description: "of the answer" }),
    reason: z.string().openapi({ description: "why no answer came; empty when one did" }),
  })
  .openapi("HookDeliveryAttempt");

const delivery = {
  uuid: z.string().openapi({ description: "as in the headers `X-Gitea-Delivery` and their like" }),
  event: z.string().openapi({ description: "as in the headers `X-Gitea-Event` and their like" }),
  event_type: z.enum(eventTypes),
  redelivery_of: z.string().nullable().openapi({ description: "the delivery that this one repeats" }),
  state: z.enum(["waiting", "sending", "answered", "failed"]).openapi({
    description: "`answered` by whatever status, or `failed`: then no more attempts follow",
  }),
  created_at: dateTime,
  attempts: z.array(HookDeliveryAttempt),
  request: z
    .object({ url: z.string(), headers })
    .nullable()
    .openapi({ description: "the last one sent; without credentials" }),
  response: z.object({ status: z.int(), headers }).nullable(),
};

export const HookDelivery = z.object(delivery).openapi("HookDelivery");
export type HookDeliveryJson = z.infer<typeof HookDelivery>;

export const HookDeliveryContent = z
  .object({
    ...delivery,
    payload: z.string().openapi({ description: "the event as JSON text, from which chat messages are made" }),
    payload_truncated: z.boolean(),
    response_body: z.string().openapi({ description: "at most its first 16 KiB" }),
  })
  .openapi("HookDeliveryContent");
export type HookDeliveryContentJson = z.infer<typeof HookDeliveryContent>;
