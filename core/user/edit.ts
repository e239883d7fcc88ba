import { type ForgeError, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { sourceProblem } from "../login-source/login-source.ts";
import {
  changeOwner,
  joinedChanges,
  type OwnerChange,
  renamingChange,
  visibilityChange,
} from "../owner/change.ts";
import { claimByAdministrator } from "../owner/former-names.ts";
import { administrationChange } from "./administrators.ts";
import { becomingPrimary } from "./emails.ts";
import { emailProblem, passwordProblem, userFieldProblem, userNameProblem } from "./fields.ts";
import { hashPassword } from "./internal/password.ts";
import { userDelta } from "./listing.ts";
import type { User } from "./user.table.ts";

/** The changes of a user, all at once; absent members stay as they are. */
export interface UserChanges
  extends Partial<
    Pick<
      User,
      | "fullName"
      | "description"
      | "website"
      | "location"
      | "pronouns"
      | "language"
      | "theme"
      | "diffViewStyle"
      | "emailNotifications"
      | "visibility"
      | "isEmailHidden"
      | "arePronounsHidden"
      | "isActivityHidden"
      | "hasNoUnitHints"
      | "loginSourceId"
      | "loginName"
      | "mustChangePassword"
      | "isAdmin"
      | "isActive"
      | "isLoginProhibited"
      | "isRestricted"
      | "repositoryLimit"
      | "mayNotCreateOrganizations"
    >
  > {
  /** Becomes the primary address; the former one stays among the user's addresses. */
  readonly email?: string;
  readonly password?: string;
}

/**
 * Changes a user, and answers them after the change, without checking rights. 422 when a field is not valid, the
 * address is somebody else's, or the last administrator would stop being one (B-06): then nothing changes.
 */
export async function editUser(forge: Forge, user: User, changes: UserChanges): Promise<User> {
  const problem = changesProblem(forge, user, changes);
  if (problem !== undefined) throw problem;
  const { password, email, isAdmin, ...fields } = changes;
  const hashed = password === undefined ? {} : { passwordHash: await hashPassword(forge, password) };
  return change(forge, user, async (current) =>
    joinedChanges<User>(
      { set: { ...fields, ...hashed, ...shutOutIn(current, changes) } },
      visibilityChange(forge, current, changes.visibility),
      administrationChange(current, isAdmin ?? current.isAdmin),
      await becomingPrimary(forge, current, email ?? current.email),
    ),
  );
}

/** An account that is let in again has none of the sessions that it had before. */
const shutOutIn = ({ shutOuts = 0 }: User, { isActive, isLoginProhibited }: UserChanges): Partial<User> =>
  isActive === false || isLoginProhibited === true ? { shutOuts: shutOuts + 1 } : {};

function changesProblem(forge: Forge, user: User, changes: UserChanges): ForgeError | undefined {
  const { email, password, loginSourceId, repositoryLimit = -1 } = changes;
  if (repositoryLimit < -1) return unprocessable("[MaxRepoCreation]: expected -1 (no limit) or more");
  return (
    userFieldProblem(changes) ??
    (loginSourceId === undefined ? undefined : sourceProblem(forge.config, loginSourceId)) ??
    (email === undefined || email === user.email ? undefined : emailProblem(forge, email, user)) ??
    (password === undefined ? undefined : passwordProblem(forge, password))
  );
}

/** Sets the picture (by its SHA-256 in hex), or takes it away. */
export const setUserAvatar = (forge: Forge, user: User, avatar: string | undefined): Promise<User> =>
  change(forge, user, () => (avatar === undefined ? { set: {}, unset: ["avatar"] } : { set: { avatar } }));

/**
 * Renames a user, as administrators may. The former name leads to them until somebody takes it (semantics §1.3); nobody
 * logs in by it. 422 when the name is not valid or taken.
 */
export async function renameUser(forge: Forge, user: User, name: string): Promise<User> {
  const problem = userNameProblem(forge, name, "NewUsername");
  if (problem !== undefined) throw problem;
  return change(forge, user, (current) => renamingChange(forge, current, name, claimByAdministrator(name)));
}

const change = (
  forge: Forge,
  user: User,
  plan: (current: User) => OwnerChange<User> | Promise<OwnerChange<User>>,
): Promise<User> => changeOwner(forge, user, { delta: userDelta, plan });
