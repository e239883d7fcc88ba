import type { Issue } from "#core/issue/issue.table";
import { updatedAtOf } from "#core/notification/notification";
import type { Notification } from "#core/notification/notification.table";
import type { RepositoryDetails } from "#core/repository/details";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import { issuePageLink } from "../issue/present.ts";
import { presentRepository } from "../repository/present.ts";
import type { NotificationThreadJson } from "./schema.ts";

/** A notification with what it is about, as it is now. */
export interface ShownNotification {
  readonly notification: Notification;
  readonly details: RepositoryDetails;
  /** Of an issue or pull request. */
  readonly issue?: Issue | undefined;
  /** The newest comment that it told of, unless that is gone. */
  readonly commentId?: number | undefined;
}

/** A notification in the family's form; what the caller may do on its repository is left out. */
export function presentNotification(view: View, shown: ShownNotification): NotificationThreadJson {
  const { notification, details } = shown;
  const { id, status } = notification;
  return {
    id,
    repository: { ...presentRepository(view, details), permissions: null },
    subject: presentSubject(view, shown),
    unread: status === "unread",
    pinned: status === "pinned",
    updated_at: timestamp(updatedAtOf(notification)),
    url: apiLinkTo(view.config, "notifications", "threads", id),
  };
}

function presentSubject(
  view: View,
  { details, issue, commentId }: ShownNotification,
): NotificationThreadJson["subject"] {
  const { owner, repository } = details;
  const link = (...more: (string | number)[]) =>
    apiLinkTo(view.config, "repos", owner.name, repository.name, ...more);
  if (issue === undefined) {
    return {
      ...{ title: `${owner.name}/${repository.name}`, type: "Repository", state: "" },
      ...{ url: link(), html_url: linkTo(view.config, owner.name, repository.name) },
      ...{ latest_comment_url: "", latest_comment_html_url: "" },
    };
  }
  const page = issuePageLink(view, details, issue.kind, issue.number);
  return {
    title: issue.title,
    url: link("issues", issue.number),
    html_url: page,
    latest_comment_url: commentId === undefined ? "" : link("issues", "comments", commentId),
    latest_comment_html_url: commentId === undefined ? "" : `${page}#issuecomment-${commentId}`,
    type: issue.kind === "pull" ? "Pull" : "Issue",
    state: stateOf(issue),
  };
}

function stateOf({ isClosed, pull }: Issue): "open" | "closed" | "merged" {
  if (pull?.merge !== undefined) return "merged";
  return isClosed ? "closed" : "open";
}
