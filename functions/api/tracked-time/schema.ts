import { z } from "#zod";
import { dateTime, givenDateTime } from "../../http/timestamps.ts";
import { Issue } from "../issue/schema.ts";

export const TrackedTime = z
  .object({
    id: z.int(),
    created: dateTime,
    time: z.int().openapi({ description: "seconds; negative ones take back" }),
    user_id: z.int(),
    user_name: z.string(),
    issue_id: z.int(),
    issue: Issue,
  })
  .openapi("TrackedTime");
export type TrackedTimeJson = z.infer<typeof TrackedTime>;

export const AddTimeOption = z
  .object({
    time: z.int().openapi({ description: "seconds, not 0; negative ones take back" }),
    created: givenDateTime.optional().openapi({ description: "when it was spent" }),
    user_name: z
      .string()
      .optional()
      .openapi({ description: "the user of the time: for administrators, else ignored" }),
  })
  .openapi("AddTimeOption");
