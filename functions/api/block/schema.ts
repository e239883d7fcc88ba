import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

export const BlockedUser = z
  .object({ block_id: z.int().openapi({ description: "the id of the blocked user" }), created_at: dateTime })
  .openapi("BlockedUser");
export type BlockedUserJson = z.infer<typeof BlockedUser>;
