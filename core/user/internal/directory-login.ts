import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { DirectoryAnswer, DirectoryProfile } from "../../login-source/directory.ts";
import {
  askLoginSource,
  directorySourceId,
  pendingAnswer,
  rememberedAnswer,
} from "../../login-source/login-source.ts";
import { createUser } from "../create.ts";
import { editUser } from "../edit.ts";
import { noReplyEmail } from "../email.ts";
import { findUserByName } from "../find.ts";
import { listAllUsers } from "../list.ts";
import type { User } from "../user.table.ts";
import { verifyPassword } from "./password.ts";

/** Whether the directory judges a login: of its accounts, and of those that may become such. */
export const isForDirectory = ({ config }: Forge, user: User | undefined): boolean =>
  user === undefined
    ? config.ldapUrl !== "" && config.ldapAutoRegister
    : user.loginSourceId === directorySourceId;

/** The directory's judgment of a login, asked at most as often as the guard of logins allows. */
export async function judgedByDirectory(
  forge: Forge,
  given: { readonly user: User | undefined; readonly login: string; readonly password: string },
  guard: (check: () => Promise<boolean>) => Promise<boolean>,
): Promise<{ readonly answer: DirectoryAnswer; readonly isFresh: boolean }> {
  const { user, password } = given;
  const login = user === undefined ? given.login : user.loginName || user.name;
  const remembered = rememberedAnswer(forge, login, password);
  if (remembered !== undefined) return { answer: remembered, isFresh: false };
  const pending = pendingAnswer(forge, login, password);
  if (pending !== undefined) return { answer: await pending, isFresh: false };
  let answer: DirectoryAnswer = { kind: "refused" };
  await guard(async () => {
    // The work of a local password is done beside it: the time must not tell which accounts are here.
    const [asked] = await Promise.all([
      askLoginSource(forge, login, password),
      verifyPassword(forge, undefined, password),
    ]);
    answer = asked;
    return asked.kind === "in";
  });
  return { answer, isFresh: true };
}

/** The local account of somebody whom the directory let in, or why they can have none. */
export async function memberOf(
  forge: Forge,
  user: User | undefined,
  { profile, isFresh }: { readonly profile: DirectoryProfile; readonly isFresh: boolean },
): Promise<User | { readonly problem: string }> {
  const known = user ?? (await findMember(forge, profile));
  if (known === undefined) return register(forge, profile);
  return isFresh ? withRank(forge, known, profile) : known;
}

/** The account of an entry: by its name, or bound to it under another one. A local account of that name is not it. */
async function findMember(forge: Forge, { loginName }: DirectoryProfile): Promise<User | undefined> {
  const named = await findUserByName(forge, loginName);
  const isSame = (user: User) =>
    user.loginSourceId === directorySourceId &&
    (user.loginName || user.name).toLowerCase() === loginName.toLowerCase();
  if (named !== undefined && isSame(named)) return named;
  const filter = { loginSourceId: directorySourceId, loginName };
  const { items } = await listAllUsers(forge, filter, "oldest", { page: 1, limit: 1 });
  return items.find(isSame);
}

async function register(forge: Forge, profile: DirectoryProfile): Promise<User | { problem: string }> {
  const { loginName, email, fullName, isAdmin = false } = profile;
  try {
    return await createUser(forge, {
      name: loginName,
      email: email === "" ? noReplyEmail(forge.config, { name: loginName }) : email,
      fullName: fullName.slice(0, 100),
      isAdmin,
      loginSourceId: directorySourceId,
      loginName,
    });
  } catch (error) {
    if (!isForgeError(error, "invalid")) throw error;
    // Another request may have made the account just now.
    const rival = await findMember(forge, profile);
    return (
      rival ?? { problem: `the directory knows this login, but no account could be made: ${error.message}` }
    );
  }
}

/** The directory decides who is an administrator, if it is asked; the last one stays. */
async function withRank(forge: Forge, user: User, { isAdmin }: DirectoryProfile): Promise<User> {
  if (isAdmin === undefined || isAdmin === user.isAdmin) return user;
  try {
    return await editUser(forge, user, { isAdmin });
  } catch (error) {
    if (!isForgeError(error, "invalid")) throw error;
    forge.log.warn("directory:last-administrator", { userId: user.id });
    return user;
  }
}
