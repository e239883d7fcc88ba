import { forbidden, invalid } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { localSourceId } from "../login-source/login-source.ts";
import { edit } from "./edit.ts";
import { verifyPassword } from "./password.ts";
import type { User } from "./user.table.ts";

/**
 * Changes the password of a user who has just shown the present one; one that must be changed is changed then. Tokens
 * stay. 422 when the new one may not be used or is the present one; Forbidden for accounts of a
 * directory.
 */
export async function changeOwnPassword(forge: Forge, user: User, password: string): Promise<void> {
  if (user.loginSourceId !== localSourceId) {
    throw forbidden("the password of this account is its directory's: change it there");
  }
  if (await verifyPassword(forge, user.passwordHash, password)) {
    throw invalid("Password", "is the present one: choose another");
  }
  await edit(forge, user, { password, mustChangePassword: false });
}
