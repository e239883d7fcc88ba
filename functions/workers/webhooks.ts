import { z } from "zod";
import type { Forge } from "#core/forge";
import { deliverAttempt } from "#core/hook/deliver";
import type { DeliveryMessage } from "#core/hook/delivery";
import { createHookClient } from "#core/hook/hook-client";
import { onLinkedForge } from "../linked-forge.ts";
import { createWorker, type MessageWork } from "./worker.ts";

/** Sends one attempt of a delivery. The lease in the delivery's item, not a claim, keeps an attempt from being sent twice. */
const deliveryWork: MessageWork<DeliveryMessage> = {
  shape: z.object({
    kind: z.literal("delivery"),
    eventId: z.string(),
    hookId: z.int(),
    delivery: z.string(),
    attempt: z.int(),
    heldSince: z.number().exactOptional(),
  }),
  async work(forge: Forge, message: DeliveryMessage) {
    const { next } = await deliverAttempt(forge, createHookClient(forge.config), message);
    if (next === undefined) return undefined;
    await forge.queues.send("webhooks", [next.message], { delaySeconds: next.delaySeconds });
    return undefined;
  },
};

/** Works on a batch of the queue `webhooks`. */
export const webhookWorker = createWorker("webhooks", { delivery: deliveryWork });

/** The function behind the queue `webhooks`. */
export const handler = onLinkedForge(webhookWorker);
