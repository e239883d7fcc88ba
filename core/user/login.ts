import { LRUCache } from "lru-cache";
import { callerOf } from "../caller/caller.ts";
import { countRequest } from "../caller/rates.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { directorySourceId } from "../login-source/login-source.ts";
import { emailGuardKey, type NameGuard, nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import { isForDirectory, judgedByDirectory, memberOf } from "./internal/directory-login.ts";
import { isRemembered, passwordDigest, verifyPassword } from "./internal/password.ts";
import type { LoginFailures } from "./login-failures.table.ts";
import { failuresKey, guardLogin, type LoginTry } from "./login-failures.ts";
import { isOfDevice, verifyCode } from "./second-factor.ts";
import type { EmailGuard, User } from "./user.table.ts";

/** A name (or e-mail address) and password, with the code of a second factor if there is one. */
export interface PasswordLogin extends LoginTry {
  readonly password: string;
  readonly code: string | undefined;
}

/** The user who logged in, or why nobody did. */
export type LoginOutcome =
  | { readonly kind: "in"; readonly user: User }
  | { readonly kind: "wrong-password" | "wrong-code" }
  /** The password is right: never told to who sent a wrong one. */
  | { readonly kind: "code-needed"; readonly user: User }
  /** The directory let somebody in who can have no account here. */
  | { readonly kind: "no-account"; readonly problem: string };

/** Login → the id that it stood for: only ids are kept, their meaning is read each time. */
const knownIdsOf = lazyFor((_config: Forge["config"]) => new LRUCache<string, number>({ max: 10_000 }));
const longestLogin = 254;

/**
 * Logs in by name or e-mail address and password, and by code when the account has a second factor: here, so that it
 * holds wherever passwords do. Only the directory lets its accounts in; they are made at their first login. One request
 * to the table when the process knows this login, else two; a fresh code costs a read and a write more. RateLimited
 * after too many failures from one address, or too many passwords to check.
 */
export async function logIn(server: Forge, given: PasswordLogin): Promise<LoginOutcome> {
  if (given.login.length > longestLogin) return { kind: "wrong-password" };
  const forge = { ...server, caller: callerOf(undefined, given.address) };
  const found = await read(forge, given);
  const outcome = isForDirectory(forge, found.user)
    ? await byDirectory(forge, given, found)
    : await byPassword(forge, given, found);
  if (outcome.kind !== "in" || !needsCode(forge, outcome.user)) return outcome;
  const { code } = given;
  if (code === undefined) return { kind: "code-needed", user: outcome.user };
  const isRight = await guardLogin(forge, codeTry(outcome.user, given.address), found.failures, {
    // A spare code counts once, however many send it at the same time.
    ...(isOfDevice(code) ? { shown: `code ${code}` } : {}),
    run: () => verifyCode(forge, outcome.user.id, code, { caller: given.address }),
  });
  return isRight ? outcome : { kind: "wrong-code" };
}

/**
 * Whether `code` proves the second factor of a user whose password was right before: for pages, which ask for one after
 * the other. The code must not have been used yet, by whomever. RateLimited as in `logIn`.
 */
export async function proveSecondFactor(
  server: Forge,
  user: User,
  address: string,
  code: string,
): Promise<boolean> {
  const forge = { ...server, caller: callerOf(undefined, address) };
  const who = codeTry(user, address);
  const failures = await forge.table.get<LoginFailures>(failuresKey(forge, who));
  const run = () => verifyCode(forge, user.id, code, { caller: address, isUnused: true });
  return guardLogin(forge, who, failures, { run });
}

/** Codes count for the account, whichever of its names and addresses was typed: else each of them had tries of its own. */
const codeTry = ({ name }: User, address: string): LoginTry => ({ login: name, address });

/** Whether a user proves a second factor after their password. */
export const needsCode = ({ config }: Forge, { hasSecondFactor, loginSourceId }: User): boolean =>
  hasSecondFactor === true && !(loginSourceId === directorySourceId && config.ldapSkipLocalSecondFactor);

type Found = Awaited<ReturnType<typeof read>>;

async function byPassword(forge: Forge, given: PasswordLogin, found: Found): Promise<LoginOutcome> {
  const { user, failures, wasKnown } = found;
  const { password } = given;
  const isKnown = user !== undefined && isRemembered(forge, user.passwordHash, password);
  const check = {
    shown: passwordDigest(forge, user?.passwordHash ?? "", password),
    run: counted(forge, given, () => verifyPassword(forge, user?.passwordHash, password)),
  };
  if (!isKnown && !(await guardLogin(forge, given, failures, check))) {
    // As many requests as for an unknown login: the time must not tell which exist.
    if (wasKnown) await forge.table.get(ownerKey(nobody));
    return { kind: "wrong-password" };
  }
  return user === undefined ? { kind: "wrong-password" } : { kind: "in", user };
}

/** A check that computes a hash; it is counted when it begins (D-RATE). */
const counted = (forge: Forge, who: LoginTry, check: () => Promise<boolean>) => (): Promise<boolean> => {
  countRequest(forge, who, "password");
  return check();
};

async function byDirectory(forge: Forge, given: PasswordLogin, found: Found): Promise<LoginOutcome> {
  const { user, failures } = found;
  const { login, password } = given;
  const guard = (check: () => Promise<boolean>) =>
    guardLogin(forge, given, failures, { run: counted(forge, given, check) });
  const { answer, isFresh } = await judgedByDirectory(forge, { user, login, password }, guard);
  if (answer.kind === "refused") return { kind: "wrong-password" };
  const member = await memberOf(forge, user, { profile: answer.profile, isFresh });
  return "problem" in member
    ? { kind: "no-account", problem: String(member.problem) }
    : { kind: "in", user: member };
}

/** The key of a login's owner, and the owner when it was last seen. */
export function loginKey(
  { config }: Forge,
  login: string,
): { key: TableKey; knownUserId: number | undefined } {
  const key = login.includes("@") ? emailGuardKey(login) : nameGuardKey(login);
  return { key, knownUserId: knownIdsOf(config).get(key.pk) };
}

/** The user behind a login, and the recent failures of this address. */
async function read(forge: Forge, given: PasswordLogin) {
  const { table } = forge;
  const { key: guardKey, knownUserId: known } = loginKey(forge, given.login);
  const countsKey = failuresKey(forge, given);
  const memory = knownIdsOf(forge.config);
  const found = await table.getAll([guardKey, countsKey, ...(known === undefined ? [] : [ownerKey(known)])]);
  const id = userIdIn(found.get(keyText(guardKey)));
  const key = ownerKey(id);
  const user = (id === known ? found.get(keyText(key)) : await table.get(key)) as User | undefined;
  if (user?.kind === "user") memory.set(guardKey.pk, id);
  return {
    user: user?.kind === "user" ? user : undefined,
    wasKnown: id === known,
    failures: found.get(keyText(countsKey)) as LoginFailures | undefined,
  };
}

/** Ids begin at 1: a search for nobody takes as long as one for somebody. */
const nobody = 0;

/** The id of a user in a guard (of a name, an address or a token); nobody's when it names none. */
export function userIdIn(guard: Item | undefined): number {
  if (guard === undefined) return nobody;
  if ("userId" in guard) return (guard as EmailGuard).userId;
  return (guard as NameGuard).kind === "user" ? (guard as NameGuard).ownerId : nobody;
}
