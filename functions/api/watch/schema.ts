import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

/** Whether the caller hears of a repository, or of an issue. */
export const WatchInfo = z
  .object({
    subscribed: z.boolean(),
    ignored: z.boolean().openapi({ description: "the opposite of subscribed" }),
    reason: z.null(),
    created_at: dateTime.openapi({ description: "of the repository, or of the issue" }),
    url: z.string(),
    repository_url: z.string(),
  })
  .openapi("WatchInfo");
