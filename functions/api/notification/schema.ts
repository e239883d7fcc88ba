import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Repository } from "../repository/schema.ts";

/** What a notification is about. */
const NotificationSubject = z
  .object({
    title: z.string(),
    url: z.string(),
    latest_comment_url: z.string().openapi({ description: "empty when no comment was told of" }),
    html_url: z.string(),
    latest_comment_html_url: z.string(),
    type: z.enum(["Issue", "Pull", "Commit", "Repository"]).openapi("NotifySubjectType"),
    state: z
      .enum(["open", "closed", "merged", ""])
      .openapi({ description: "of an issue or pull request; empty for others" }),
  })
  .openapi("NotificationSubject");

/** One notification of a user. */
export const NotificationThread = z
  .object({
    id: z.int(),
    repository: Repository,
    subject: NotificationSubject,
    unread: z.boolean().openapi({ description: "neither read nor pinned" }),
    pinned: z.boolean(),
    updated_at: dateTime,
    url: z.string(),
  })
  .openapi("NotificationThread");
export type NotificationThreadJson = z.infer<typeof NotificationThread>;

export const NotificationCount = z.object({ new: z.int() }).openapi("NotificationCount");
