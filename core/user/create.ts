import { nowSeconds } from "../clock.ts";
import { conflict, type ForgeError, invalid } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { localSourceId, sourceProblem } from "../login-source/login-source.ts";
import { ownerNameTaken } from "../owner/name.ts";
import { ownerKey, ownerNameIsFree, type Visibility } from "../owner/owner.table.ts";
import { absent } from "../table/condition.ts";
import { put, type Write } from "../table/write.ts";
import { joinsAdministrators } from "./administrators.ts";
import { emailTaken } from "./emails.ts";
import { emailProblem, passwordProblem, userFieldProblem, userNameProblem } from "./fields.ts";
import { hashPassword } from "./internal/password.ts";
import { userDelta } from "./listing.ts";
import { addressItems, type User, userNameGuard } from "./user.table.ts";

/** The parts of a new account. Without `password` the account can only log in through its login source. */
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

/**
 * Creates an account. 422 when a field is not valid or the name or address is taken. `beside` are writes of the same
 * transaction, on conditions of their own: 409 when these don't hold.
 */
export async function createUser(
  forge: Forge,
  given: NewUser,
  beside: (userId: number) => readonly Write[] = () => [],
): Promise<User> {
  const problem = newUserProblem(forge, given);
  if (problem !== undefined) throw problem;
  const now = nowSeconds(forge.clock);
  const id = await nextId(forge.table, "owner");
  const user: User = {
    ...ownerKey(id),
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
    // A user without a password here can change none.
    mustChangePassword: given.password !== undefined && (given.mustChangePassword ?? false),
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
  await commitNewUser(forge, user, beside(id));
  return user;
}

async function commitNewUser(forge: Forge, user: User, beside: readonly Write[]): Promise<void> {
  const { guard, address, listing } = addressItems(user.id, user.email, true);
  const outcome = await forge.table.transact([
    put(userNameGuard(user), ownerNameIsFree),
    put(guard, absent),
    put(user, absent),
    ...[address, listing].map((item) => put(item)),
    userDelta(user),
    ...(user.isAdmin ? [joinsAdministrators(user.id)] : []),
    ...beside,
  ]);
  if (outcome.committed) return;
  if (outcome.failed.includes(0)) throw ownerNameTaken(user.name);
  throw outcome.failed.includes(1) || beside.length === 0
    ? emailTaken(user.email)
    : conflict("what belongs to the account was made for another meanwhile");
}

function newUserProblem(forge: Forge, given: NewUser): ForgeError | undefined {
  const problem =
    userNameProblem(forge, given.name, "Username") ??
    emailProblem(forge, given.email, given) ??
    userFieldProblem(given) ??
    sourceProblem(forge.config, given.loginSourceId ?? localSourceId);
  if (problem !== undefined || given.password !== undefined) {
    return problem ?? passwordProblem(forge, given.password ?? "");
  }
  return (given.loginSourceId ?? localSourceId) === localSourceId
    ? invalid("Password", "Required")
    : undefined;
}
