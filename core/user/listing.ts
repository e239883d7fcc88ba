import { goneWrite, tailWrite } from "../directory/directory.ts";
import { userDirectory } from "../directory/users.ts";
import type { Write } from "../table/write.ts";
import { type User, userEntry } from "./user.table.ts";

/** The user's entry in the list index of users, for the transaction that creates or changes the user. */
export const userTail = (user: User): Write => tailWrite(userDirectory, user.id, userEntry(user), user.v);

/** Marks the user as gone in the list index, for the transaction that removes them. */
export const goneUserTail = (user: User): Write =>
  goneWrite(userDirectory, user.id, userEntry(user), user.v + 1);
