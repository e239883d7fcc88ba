import { deltaWrite, tombstoneWrite } from "../list-index/list-index.ts";
import { ownerIndex } from "../owner/owner.index.ts";
import type { Write } from "../table/write.ts";
import { type User, userEntry } from "./user.table.ts";

/** The user's entry in the list index of users, for the transaction that creates or changes the user. */
export const userDelta = (user: User): Write => deltaWrite(ownerIndex, user.id, userEntry(user), user.v);

/** Marks the user as gone in the list index, for the transaction that removes them. */
export const userTombstone = (user: User): Write =>
  tombstoneWrite(ownerIndex, user.id, userEntry(user), user.v + 1);
