import { maySeeUser } from "../access/visibility.ts";
import type { Actor } from "../actor.ts";
import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { emailGuardKey, ownerKey } from "../owner/owner.table.ts";
import { keyText } from "../table/write.ts";
import type { EmailGuard, User } from "./user.table.ts";

type Named = Pick<User, "name">;

/** The address that replaces the one that a user hides. */
export const noReplyEmail = (config: Config, { name }: Named): string =>
  `${name.toLowerCase()}@${noReplyDomain(config)}`;

const noReplyDomain = ({ noReplyAddress, rootUrl }: Config): string =>
  noReplyAddress === "" ? `noreply.${new URL(rootUrl).hostname}` : noReplyAddress;

/** Whether an address may stand for another user's hidden one: whoever had it would be shown as who wrote their commits. */
export function isNoReplyOfOthers(config: Config, email: string, user: Named): boolean {
  const [given, domain] = [email.toLowerCase(), noReplyDomain(config).toLowerCase()];
  return given.endsWith(`@${domain}`) && given !== noReplyEmail(config, user).toLowerCase();
}

/** The address in commits that the service makes for a user: everybody who reads the repository sees it. */
export const commitEmail = (config: Config, user: User): string =>
  user.isEmailHidden ? noReplyEmail(config, user) : user.email;

/**
 * The accounts behind e-mail addresses, by the address in lower case. Accounts that the caller may not know of are left
 * out, and those that were renamed: the hidden address of their former name stands for whoever has the name now.
 */
export async function findUsersByEmail(
  { table, config }: Pick<Forge, "table" | "config">,
  actor: Actor | undefined,
  emails: readonly string[],
): Promise<Map<string, User>> {
  const keys = emails.filter((email) => email !== "").map(emailGuardKey);
  const guards = await table.getAll<EmailGuard>(keys, { isConsistent: false });
  const owners = await table.getAll<User>(
    [...guards.values()].map((guard) => ownerKey(guard.userId)),
    { isConsistent: false },
  );
  const found = new Map<string, User>();
  for (const email of emails) {
    const guard = guards.get(keyText(emailGuardKey(email)));
    const user = guard === undefined ? undefined : owners.get(keyText(ownerKey(guard.userId)));
    if (user === undefined || isNoReplyOfOthers(config, email, user)) continue;
    if (maySeeUser(actor, user)) found.set(email.toLowerCase(), user);
  }
  return found;
}
