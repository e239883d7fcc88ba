import { randomBytes } from "node:crypto";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { hasAdministrator } from "./administrators.ts";
import { createUser } from "./create.ts";
import { editUser } from "./edit.ts";
import { findUserByName } from "./find.ts";
import type { User } from "./user.table.ts";

/** The administrator that the first start made. */
export interface FirstAdministrator {
  readonly name: string;
  readonly password: string;
  readonly isPasswordMadeUp: boolean;
}

/** 96 random bits, in signs that can be typed. */
export const madeUpPassword = (): string => randomBytes(12).toString("base64url");

/**
 * Makes the first administrator when the instance has none; undefined when it has one. An empty password is generated,
 * an empty address made from the name. 422 for what can't be a user.
 */
export async function ensureAdministrator(
  forge: Forge,
  given: { readonly name: string; readonly password: string; readonly email: string },
): Promise<FirstAdministrator | undefined> {
  if (await hasAdministrator(forge)) return undefined;
  const { name } = given;
  const isPasswordMadeUp = given.password === "";
  const password = isPasswordMadeUp ? madeUpPassword() : given.password;
  const email = given.email === "" ? `${name}@localhost` : given.email;
  await createUser(forge, { name, email, password, isAdmin: true });
  return { name, password, isPasswordMadeUp };
}

/**
 * Gives a user a new local password, as the operator may, without checking rights. Tokens stay. NotFound without such a
 * user, 422 when the password may not be used, 409 when somebody kept changing the account meanwhile.
 */
export async function setPassword(
  forge: Forge,
  name: string,
  { password, mustChange }: { readonly password: string; readonly mustChange: boolean },
): Promise<User> {
  const user = await findUserByName(forge, name);
  if (user === undefined) throw notFound(`user does not exist [name: ${name}]`);
  return editUser(forge, user, { password, mustChangePassword: mustChange });
}
