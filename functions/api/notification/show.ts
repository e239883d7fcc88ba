import { entryRowKey } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import { type Issue, issueKey } from "#core/issue/issue.table";
import type { ReadableNotification } from "#core/notification/notification";
import { detailsOfAll } from "#core/repository/details";
import { keyText } from "#core/table/write";
import type { View } from "../../http/answer/view.ts";
import { presentNotification } from "./present.ts";
import type { NotificationThreadJson } from "./schema.ts";

/** Notifications with what they are about, read now; those of issues that are gone are left out. */
export async function showNotifications(
  forge: Forge,
  view: View,
  all: readonly ReadableNotification[],
): Promise<NotificationThreadJson[]> {
  if (all.length === 0) return [];
  const accesses = [...new Map(all.map(({ access }) => [access.repository.id, access])).values()];
  const keys = all.flatMap(({ notification: { repositoryId, number, commentId } }) => [
    ...(number === undefined ? [] : [issueKey(repositoryId, number)]),
    ...(commentId === undefined ? [] : [entryRowKey(repositoryId, commentId)]),
  ]);
  const [details, found] = await Promise.all([
    detailsOfAll(forge, view.actor, accesses),
    keys.length === 0 ? new Map() : forge.table.getAll(keys),
  ]);
  const detailsById = new Map(details.map((one) => [one.repository.id, one]));
  return all.flatMap(({ notification }) => {
    const { repositoryId, number, commentId } = notification;
    const issue: Issue | undefined =
      number === undefined ? undefined : found.get(keyText(issueKey(repositoryId, number)));
    const its = detailsById.get(repositoryId);
    if (its === undefined || (number !== undefined && issue === undefined)) return [];
    const isCommentThere =
      commentId !== undefined && found.has(keyText(entryRowKey(repositoryId, commentId)));
    const shown = { notification, details: its, issue, commentId: isCommentThere ? commentId : undefined };
    return [presentNotification(view, shown)];
  });
}
