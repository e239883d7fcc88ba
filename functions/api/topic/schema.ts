import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

export const TopicResponse = z
  .object({
    id: z.int(),
    topic_name: z.string(),
    repo_count: z.int().openapi({ description: "of those that the caller may see" }),
    created: dateTime,
    updated: dateTime,
  })
  .openapi("TopicResponse");

export const RepoTopicOptions = z
  .object({ topics: z.array(z.string()).nullish().openapi({ maxItems: 25 }) })
  .openapi("RepoTopicOptions");
