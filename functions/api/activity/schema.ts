import { activityTypes } from "#core/activity/activity-types";
import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Comment } from "../comment/schema.ts";
import { Repository } from "../repository/schema.ts";
import { User } from "../user/schema.ts";

export const Activity = z
  .object({
    id: z.int(),
    user_id: z
      .int()
      .openapi({ description: "whose feed it is: the user, organization or repository's owner" }),
    op_type: z.enum(activityTypes),
    act_user_id: z.int(),
    act_user: User,
    repo_id: z.int(),
    repo: Repository,
    comment_id: z.int().openapi({ description: "0 when it is about no comment" }),
    comment: Comment.nullable(),
    ref_name: z.string().openapi({ description: "the full name of a branch or tag; the tag of a release" }),
    is_private: z.boolean(),
    content: z.string().openapi({
      description:
        "`number|title` of an issue or pull request, or `number|beginning` of a comment; of a push its commits in JSON; of a release its title; what a renamed or transferred repository was called",
    }),
    created: dateTime,
  })
  .openapi("Activity");
export type ActivityJson = z.infer<typeof Activity>;

const TimeStamp = z.int().openapi("TimeStamp", { description: "Unix seconds", format: "int64" });

/** The beginning of a quarter of an hour, and how much happened in it. */
export const UserHeatmapData = z
  .object({ timestamp: TimeStamp, contributions: z.int() })
  .openapi("UserHeatmapData");
