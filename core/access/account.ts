import { type ForgeError, gate } from "../errors.ts";
import type { User } from "../user/user.table.ts";

/** Whether an account is kept from the service, and its programs with it. */
export const isShutOut = ({ isActive, isLoginProhibited }: User): boolean => !isActive || isLoginProhibited;

/** Why an account may do nothing at the moment (semantics §2.2). The first reason that applies is the one told. */
export function accountProblem(
  user: User,
  { isPasswordChange = false }: { isPasswordChange?: boolean } = {},
): ForgeError | undefined {
  if (!user.isActive) return gate("this account is not active: ask an administrator");
  if (user.isLoginProhibited) return gate("this account is prohibited from logging in: ask an administrator");
  if (user.mustChangePassword && !isPasswordChange) {
    return gate(
      "the password must be changed first: PUT /api/v1/user/password with name and password, or ask an administrator",
    );
  }
  return undefined;
}
