import { nowSeconds } from "../clock.ts";
import { conflict, isForgeError, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { openIdSourceId } from "../login-source/login-source.ts";
import type { ProvidedIdentity } from "../login-source/openid-provider.ts";
import { ownerKey, userPartition } from "../owner/owner.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, put, remove, type Write } from "../table/write.ts";
import { createUser } from "../user/create.ts";
import { noReplyEmail } from "../user/email.ts";
import { isDomainAllowed } from "../user/fields.ts";
import { findUserById } from "../user/find.ts";
import type { User } from "../user/user.table.ts";
import {
  type ExternalLogin,
  type ExternalLoginGuard,
  externalHash,
  externalLoginGuardKey,
  externalLoginKey,
  externalLoginPrefix,
} from "./external-login.table.ts";

/** All are read to show them. */
const mostPerUser = 20;

/** Somebody at a provider, and the source that asked it. */
export interface ProvidedLogin extends ProvidedIdentity {
  readonly source: string;
}

/** The user as whom somebody at a provider signs in. Found by issuer and subject alone: addresses change hands. */
export async function findExternalUser(
  forge: Forge,
  { issuer, subject }: Pick<ProvidedIdentity, "issuer" | "subject">,
): Promise<User | undefined> {
  const key = externalLoginGuardKey(externalHash(issuer, subject));
  const guard = await forge.table.get<ExternalLoginGuard>(key);
  return guard === undefined ? undefined : findUserById(forge, guard.userId);
}

/** A user's external logins. */
export const listExternalLogins = (
  { table }: Pick<Forge, "table">,
  userId: number,
): Promise<ExternalLogin[]> =>
  table.queryAll<ExternalLogin>({ pk: userPartition(userId), prefix: externalLoginPrefix });

/**
 * Links somebody at a provider to a user who has proven to be them. Once linked to somebody, a login is theirs: 409. 422
 * when the user has 20.
 */
export async function linkExternalLogin(forge: Forge, user: User, login: ProvidedLogin): Promise<void> {
  if ((await listExternalLogins(forge, user.id)).length >= mostPerUser) {
    throw unprocessable(`an account may be linked to at most ${mostPerUser} logins: unlink one`);
  }
  const isThere = check(ownerKey(user.id), equals({ kind: "user" }));
  const { committed } = await forge.table.transact([isThere, ...linkWrites(forge, user.id, login)]);
  if (committed) return;
  const rival = await findExternalUser(forge, login);
  if (rival?.id !== user.id) throw conflict("this login is linked to an account already: sign in again");
}

/**
 * Ends that a user signs in by an external login; nothing happens when they have no such one. 422 for the last one of an
 * account without a password: nobody could sign in to it any more.
 */
export async function unlinkExternalLogin(forge: Forge, user: User, hash: string): Promise<void> {
  const needsOther = user.loginSourceId === openIdSourceId && user.passwordHash === "";
  const other = (await listExternalLogins(forge, user.id)).find((login) => login.hash !== hash);
  if (needsOther && other === undefined) {
    throw unprocessable("this login is the only way into the account: have it given a password first");
  }
  await forge.table.transact([
    // Two removals at once: the second finds the other login gone, and changes nothing.
    ...(needsOther && other !== undefined ? [check(externalLoginKey(user.id, other.hash), exists)] : []),
    remove(externalLoginKey(user.id, hash)),
    remove(externalLoginGuardKey(hash), equals({ userId: user.id })),
  ]);
}

/**
 * Makes the account of somebody who comes from a provider for the first time, linked to them in one transaction; or why
 * none can be made: the name or the address is somebody's, or may be no account's.
 */
export async function registerExternalUser(
  forge: Forge,
  login: ProvidedLogin,
): Promise<User | { readonly problem: string }> {
  const { name, fullName, email } = login;
  if (email !== "" && !isDomainAllowed(forge, email)) {
    return { problem: "no account here may have an e-mail address of its domain" };
  }
  try {
    const given = {
      ...{ name, fullName, loginSourceId: openIdSourceId, loginName: name },
      email: email === "" ? noReplyEmail(forge.config, { name }) : email,
    };
    return await createUser(forge, given, (userId) => linkWrites(forge, userId, login));
  } catch (error) {
    if (!isForgeError(error, "invalid") && !isForgeError(error, "conflict")) throw error;
    // Another request may have made the account just now.
    return (await findExternalUser(forge, login)) ?? { problem: error.message };
  }
}

function linkWrites({ clock }: Forge, userId: number, { issuer, subject, source }: ProvidedLogin): Write[] {
  const hash = externalHash(issuer, subject);
  const row: ExternalLogin = {
    ...externalLoginKey(userId, hash),
    ...{ userId, hash, issuer, subject, source },
    createdAt: nowSeconds(clock),
    _v: 1,
  };
  const guard: ExternalLoginGuard = { ...externalLoginGuardKey(hash), userId, _v: 1 };
  return [put(guard, absent), put(row)];
}
