import { randomBytes } from "node:crypto";
import { isForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import * as users from "#core/user/user";
import { StartError } from "./start-error.ts";

/** The administrator that the first start made. */
export interface FirstAdministrator {
  readonly name: string;
  readonly password: string;
  readonly isPasswordMadeUp: boolean;
}

/** Makes the first administrator when the instance has none; undefined when it has one. */
export async function ensureAdministrator(
  forge: Forge,
  given: { adminUser: string; adminPassword: string; adminEmail: string },
): Promise<FirstAdministrator | undefined> {
  if (await users.hasAdministrator(forge)) return undefined;
  const isPasswordMadeUp = given.adminPassword === "";
  const password = isPasswordMadeUp ? randomBytes(12).toString("base64url") : given.adminPassword;
  const name = given.adminUser;
  const email = given.adminEmail === "" ? `${name}@localhost` : given.adminEmail;
  try {
    await users.create(forge, { name, email, password, isAdmin: true });
  } catch (error) {
    if (!isForgeError(error, "invalid")) throw error;
    const message = `The first administrator can't be made (ADMIN_USER, ADMIN_PASSWORD, ADMIN_EMAIL): ${error.message}`;
    throw new StartError(message, { cause: error });
  }
  return { name, password, isPasswordMadeUp };
}
