import type { Block } from "#core/block/block.table";
import { timestamp } from "../../http/timestamps.ts";
import type { BlockedUserJson } from "./schema.ts";

/** A block in Forgejo's form, which names the user only by their id. */
export const presentBlock = ({ userId, createdAt }: Block): BlockedUserJson => ({
  block_id: userId,
  created_at: timestamp(createdAt),
});
