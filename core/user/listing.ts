import { padded } from "../ids.ts";
import { put, type Write } from "../table.ts";
import type { User } from "./user.table.ts";

/** The user's entry in the directory of users, for the transaction that changes the user. */
export function userTail(user: User): Write {
  return put({ pk: `DIR#user#${user.id % 2}`, sk: `T#${padded(user.id)}`, v: user.v, _v: 1 });
}
