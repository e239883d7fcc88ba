import { isKnown, nobody } from "../access/acquaintance.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { type ForgeError, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { ownerNameProblem } from "../owner/name.ts";
import {
  administratorsKey,
  emailGuardKey,
  type NameGuard,
  nameGuardKey,
  nameIsFree,
  type Visibility,
} from "../owner/owner.table.ts";
import { absent, put, update, type Write } from "../table.ts";
import { userTail } from "./listing.ts";
import { hashPassword } from "./password.ts";
import { type EmailGuard, guardsOf, type User, userKey } from "./user.table.ts";

export { commitEmail, findAllByEmail, noReplyEmail } from "./email.ts";

/** What a new account is made of. Without `password` the account can only log in through its login source. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly password?: string;
  readonly fullName?: string;
  readonly isAdmin?: boolean;
  readonly isRestricted?: boolean;
  readonly mustChangePassword?: boolean;
  readonly visibility?: Visibility;
  readonly loginSourceId?: number;
  readonly loginName?: string;
  /** Whole seconds since the epoch; now when absent. */
  readonly createdAt?: number;
}

/** Creates a local account. 422 when a field is not valid or the name or address is taken. */
export async function create(forge: Forge, given: NewUser): Promise<User> {
  const problem = newUserProblem(forge, given);
  if (problem !== undefined) throw problem;
  const now = nowSeconds(forge.clock);
  const id = await nextId(forge.table, "owner");
  const user: User = {
    ...userKey(id),
    kind: "user",
    id,
    name: given.name,
    fullName: given.fullName ?? "",
    email: given.email,
    passwordHash: given.password === undefined ? "" : await hashPassword(forge, given.password),
    isAdmin: given.isAdmin ?? false,
    isActive: true,
    isRestricted: given.isRestricted ?? false,
    isLoginProhibited: false,
    mustChangePassword: given.mustChangePassword ?? false,
    isEmailHidden: false,
    visibility: given.visibility ?? "public",
    loginSourceId: given.loginSourceId ?? 0,
    loginName: given.loginName ?? "",
    location: "",
    website: "",
    pronouns: "",
    description: "",
    language: "",
    repositoryLimit: -1,
    createdAt: given.createdAt ?? now,
    updatedAt: now,
    lastLoginAt: 0,
    v: 1,
    _v: 1,
  };
  await commitNewUser(forge, user);
  return user;
}

async function commitNewUser(forge: Forge, user: User): Promise<void> {
  const guards = guardsOf(user);
  const writes: Write[] = [
    put(guards.name, nameIsFree),
    put(guards.email, absent),
    put(user, absent),
    put(guards.address),
    userTail(user),
  ];
  if (user.isAdmin) writes.push(update(administratorsKey, { add: { ids: new Set([user.id]) } }));
  const outcome = await forge.table.transact(writes);
  if (outcome.committed) return;
  if (outcome.failed.includes(0)) throw unprocessable(`user already exists [name: ${user.name}]`);
  throw unprocessable(`e-mail already in use [email: ${user.email}]`);
}

const longest = { email: 254, fullName: 100, loginName: 255, password: 255 };

function newUserProblem(forge: Forge, given: NewUser): ForgeError | undefined {
  const { config } = forge;
  const nameProblem = ownerNameProblem(given.name, "Username", { isDotAllowed: config.allowDotsInUsernames });
  if (nameProblem !== undefined) return nameProblem;
  if (given.email.length > longest.email) return invalid("Email", `MaxSize ${longest.email}`);
  if (!isEmailAddress(given.email))
    return invalid("Email", "Email: expected an address such as name@example.com");
  if ((given.fullName ?? "").length > longest.fullName)
    return invalid("FullName", `MaxSize ${longest.fullName}`);
  if ((given.loginName ?? "").length > longest.loginName)
    return invalid("LoginName", `MaxSize ${longest.loginName}`);
  if (given.password === undefined) {
    return (given.loginSourceId ?? 0) === 0 ? invalid("Password", "Required") : undefined;
  }
  return passwordProblem(forge, given.password);
}

/** Why a password may not be used, or undefined when it may. */
export function passwordProblem(forge: Forge, password: string): ForgeError | undefined {
  const least = forge.config.minPasswordLength;
  if (password.length < least) return invalid("Password", `MinSize: at least ${least} characters`);
  return password.length > longest.password ? invalid("Password", `MaxSize ${longest.password}`) : undefined;
}

/** A syntax check only: one @, no spaces or control characters, a host with letters, digits, dots and hyphens. */
export function isEmailAddress(text: string): boolean {
  return (
    /^[^\s@"<>()[\],;:\\\p{Cc}]+@[\p{L}\p{N}]([\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u.test(text) &&
    !text.startsWith("-")
  );
}

/** The user with this id, or undefined. */
export async function findById(forge: Forge, id: number): Promise<User | undefined> {
  const item = await forge.table.get(userKey(id));
  return item?.kind === "user" ? (item as User) : undefined;
}

/** Users by id; ids of users that are gone are left out. Read eventually consistent: for showing in lists. */
export async function findAllById(forge: Forge, ids: readonly number[]): Promise<Map<number, User>> {
  const items = await forge.table.getAll<User>(ids.map(userKey), { isConsistent: false });
  return new Map([...items.values()].filter((item) => item.kind === "user").map((user) => [user.id, user]));
}

/** The user of this name, whatever its case, or undefined. */
export async function findByName(forge: Forge, name: string): Promise<User | undefined> {
  const guard = await forge.table.get<NameGuard>(nameGuardKey(name));
  return findById(forge, guard?.kind === "user" ? guard.ownerId : nobody);
}

/** The user of this name, or undefined when there is none that the caller may know of (D-HIDDEN). */
export async function findVisible(
  forge: Forge,
  actor: Actor | undefined,
  name: string,
): Promise<User | undefined> {
  const user = await findByName(forge, name);
  return (await isKnown(forge, actor, user)) ? user : undefined;
}

/** The user of this name; NotFound when there is none that the caller may know of (D-HIDDEN). */
export async function getByName(forge: Forge, actor: Actor | undefined, name: string): Promise<User> {
  const user = await findVisible(forge, actor, name);
  if (user === undefined) throw notFound(`user does not exist [name: ${name}]`);
  return user;
}

/** The user who logs in by this name or e-mail address, or undefined. */
export async function findByLogin(forge: Forge, login: string): Promise<User | undefined> {
  if (!login.includes("@")) return findByName(forge, login);
  const guard = await forge.table.get<EmailGuard>(emailGuardKey(login));
  return findById(forge, guard?.userId ?? nobody);
}

/** Whether the instance has an administrator: the first start makes one when it has none. */
export async function hasAdministrator(forge: Forge): Promise<boolean> {
  return (await forge.table.get(administratorsKey)) !== undefined;
}
