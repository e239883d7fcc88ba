import type { Forge } from "#core/forge";
import { announceToHooks } from "#core/hook/announce";
import type { RepositoryEvent } from "#core/hook/events";
import { listHooksForRepository } from "#core/hook/hook";
import { HookSubscriptions, type SubscribableEvent } from "#core/hook/subscriptions";
import { type Repository, repositoryKey } from "#core/repository/repository.table";

/**
 * Records and queues the deliveries of an event, one per hook that wants to hear of it. May be repeated: existing
 * records stay as they are, and a delivery's message may come twice.
 */
export async function notifyHooks(
  forge: Forge,
  event: RepositoryEvent & { readonly eventId: string },
): Promise<void> {
  if (forge.config.disableWebhooks) return;
  const repository = await forge.table.get<Repository>(repositoryKey(event.repositoryId));
  if (repository === undefined) return;
  const all = await listHooksForRepository(forge, repository);
  const listening = all.filter((hook) => event.kind !== "hook-test" || hook.id === event.hookId);
  if (!listening.some((hook) => hook.isActive)) return;
  const subscriptions = new HookSubscriptions(listening);
  // Presenting is much code, and no hook may ever listen.
  const [{ noticesOf }, { findSubject }] = await Promise.all([
    import("./payloads/notices.ts"),
    import("./payloads/subject.ts"),
  ]);
  const subject = await findSubject(forge, event);
  if (subject === undefined) return;
  const isWanted = async (notice: SubscribableEvent) => (await subscriptions.subscribed(notice)).length > 0;
  for await (const notice of noticesOf(forge, event, subject, isWanted)) {
    const messages = await announceToHooks(forge, subscriptions, event, notice);
    await forge.queues.send("webhooks", messages);
  }
  if (subscriptions.isCut) forge.log.warn("hooks:filters-cut", { repositoryId: event.repositoryId });
}
