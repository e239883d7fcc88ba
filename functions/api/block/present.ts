import type { Block } from "#core/block/block.table";
import { timestamp } from "../view.ts";
import type { BlockedUserJson } from "./schema.ts";

/** A block in Forgejo's form, which tells of the user by his id alone. */
export const presentBlock = ({ userId, createdAt }: Block): BlockedUserJson => ({
  block_id: userId,
  created_at: timestamp(createdAt),
});
