import { entryRowKey } from "#core/comment/comment.table";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import type { ReleaseEvent, RepositoryEvent, ReviewAction } from "#core/hook/events";
import { isMailOn } from "#core/mail/mail";
import type { News } from "#core/notification/news";

/** Which reviews people hear of (semantics §54). */
const verdicts: readonly ReviewAction[] = ["approved", "rejected", "comment"];

/** Tells users of an event, as far as anybody hears of it. May be repeated. */
export async function notifyUsers(
  forge: Forge,
  event: RepositoryEvent & { readonly eventId: string },
): Promise<void> {
  const news = await newsOf(forge, event);
  if (news === undefined) return;
  const { noteParticipant, spreadNews } = await import("#core/notification/spread"); // many events need nothing of it
  if (news.number !== undefined && takesPart(event)) {
    await noteParticipant(forge, news.repositoryId, news.number, news.actorId);
  }
  await spreadNews(forge, news, event.eventId);
}

/** Who comments or reviews hears of the issue from then on. */
const takesPart = (event: RepositoryEvent): boolean =>
  event.kind === "issue-comment" || (event.kind === "review" && verdicts.includes(event.action));

async function newsOf(forge: Forge, event: RepositoryEvent): Promise<News | undefined> {
  if (event.kind === "release") return releaseNews(forge, event);
  if (event.kind !== "issue" && event.kind !== "issue-comment" && event.kind !== "review") return undefined;
  const { repositoryId, index: number, actorId, at } = event;
  const origin: News = { repositoryId, number, actorId, at };
  if (event.kind === "issue") {
    const { action, assigneeIds, isOpening, causerId } = event;
    const news: News = { ...origin, ...defined({ causerId }) };
    if (action === "opened") return { ...news, isFirst: true };
    if (action === "assigned" && assigneeIds !== undefined) {
      const assigned: News = isOpening === true ? { ...news, isFirst: true } : { ...news, what: "assigned" };
      return { ...assigned, userIds: assigneeIds };
    }
    if (action === "closed" || action === "reopened") return { ...news, what: action };
    return undefined;
  }
  if (event.kind === "issue-comment") {
    const { action, commentId } = event;
    if (action !== "created") return undefined;
    const row = await forge.table.get(entryRowKey(repositoryId, commentId)); // it may be gone by now
    return row && { ...origin, commentId };
  }
  const { action, reviewerId, teamId, reviewId } = event;
  if (verdicts.includes(action)) return { ...origin, what: "reviewed", reviewId };
  if (action !== "requested") return undefined;
  const asked: News = { ...origin, what: "asked", reviewId };
  if (teamId !== undefined) return { ...asked, teamId };
  return reviewerId === undefined ? undefined : { ...asked, userIds: [reviewerId] };
}

/** Only mails tell of a release. */
function releaseNews(
  { config }: Forge,
  { action, repositoryId, number: releaseNumber, actorId, at }: ReleaseEvent,
): News | undefined {
  return action === "published" && isMailOn(config)
    ? { repositoryId, releaseNumber, actorId, at }
    : undefined;
}
