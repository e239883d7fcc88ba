import type { Forge } from "#core/forge";
import { announce, wants } from "#core/hook/announce";
import type { RepositoryEvent } from "#core/hook/events";
import * as hooks from "#core/hook/hook";
import { noticesOf } from "./payloads/notices.ts";
import { findSubject } from "./payloads/subject.ts";

/**
 * Records and queues the deliveries of an event, one per hook that wants to hear of it. Bears repetition: what is
 * recorded already stays as it is, and a delivery's message may come twice.
 */
export async function tellHooks(
  forge: Forge,
  event: RepositoryEvent & { readonly eventId: string },
): Promise<void> {
  if (forge.config.disableWebhooks) return;
  const all = await hooks.list(forge, { kind: "repository", id: event.repositoryId });
  const listening = all.filter((hook) => event.kind !== "hook-test" || hook.id === event.hookId);
  if (!listening.some((hook) => hook.isActive)) return;
  const subject = await findSubject(forge, event);
  if (subject === undefined) return;
  const isWanted = (notice: Parameters<typeof wants>[1]) => listening.some((hook) => wants(hook, notice));
  for await (const notice of noticesOf(forge, event, subject, isWanted)) {
    const messages = await announce(forge, listening, event, notice);
    await forge.queues.send("webhooks", messages);
  }
}
