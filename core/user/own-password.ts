import { conflict, forbidden, invalid } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { localSourceId } from "../login-source/login-source.ts";
import { changeOwner } from "../owner/change.ts";
import { passwordProblem } from "./fields.ts";
import { hashPassword, verifyPassword } from "./internal/password.ts";
import { userDelta } from "./listing.ts";
import type { User } from "./user.table.ts";

/**
 * Changes the password of a user who has just proven the present one; this also ends that it must be changed. Tokens
 * stay. 422 when the new one may not be used or is the present one; Forbidden for accounts of a list index; 409 when
 * somebody gave them another meanwhile, which is not undone.
 */
export async function changeOwnPassword(forge: Forge, user: User, password: string): Promise<void> {
  if (user.loginSourceId !== localSourceId) {
    throw forbidden("this account has no password here: change it where the account comes from");
  }
  const problem = passwordProblem(forge, password);
  if (problem !== undefined) throw problem;
  if (await verifyPassword(forge, user.passwordHash, password)) {
    throw invalid("Password", "is the present one: choose another");
  }
  const passwordHash = await hashPassword(forge, password);
  await changeOwner<User>(forge, user, {
    delta: userDelta,
    plan(current) {
      if (current.passwordHash === user.passwordHash)
        return { set: { passwordHash, mustChangePassword: false } };
      throw conflict("somebody else has changed the password meanwhile: log in with the new one");
    },
  });
}
