import { tailWrite } from "../directory/directory.ts";
import { userDirectory } from "../directory/users.ts";
import type { Write } from "../table.ts";
import type { User } from "./user.table.ts";

/** The user's entry in the directory of users, for the transaction that creates or changes the user. */
export function userTail(user: User): Write {
  const { name, fullName, visibility, createdAt, updatedAt, loginSourceId, loginName } = user;
  const { isActive, isAdmin, isRestricted, isLoginProhibited } = user;
  const entry = {
    ...{ name, fullName, visibility, createdAt, updatedAt, loginSourceId, loginName },
    ...{ isActive, isAdmin, isRestricted, isLoginProhibited },
    isOrganization: false,
    isBot: false,
  };
  return tailWrite(userDirectory, user.id, entry, user.v);
}
