import { type ForgeError, forbidden } from "../errors.ts";
import { absent } from "../table/condition.ts";
import { check, type Write } from "../table/write.ts";
import { blockKey } from "./block.table.ts";

/** The condition that an owner does not block a user, for a transaction that brings them together. */
export const unblocked = (ownerId: number, userId: number): Write => check(blockKey(ownerId, userId), absent);

/** The refusal of an action that a block between two users rules out. */
export const blockedRefusal = (): ForgeError =>
  forbidden("one of the two blocks the other: the block must be lifted first");
