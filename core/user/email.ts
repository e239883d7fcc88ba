import { maySeeUser } from "../access/visibility.ts";
import type { Actor } from "../actor.ts";
import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { emailGuardKey, ownerKey } from "../owner/owner.table.ts";
import { keyText } from "../table/write.ts";
import type { EmailGuard, User } from "./user.table.ts";

/** The address that replaces the one that a user hides. */
export function noReplyEmail({ noReplyAddress, rootUrl }: Config, user: Pick<User, "name">): string {
  const domain = noReplyAddress === "" ? `noreply.${new URL(rootUrl).hostname}` : noReplyAddress;
  return `${user.name.toLowerCase()}@${domain}`;
}

/** The address in commits that the service makes for a user: everybody who reads the repository sees it. */
export const commitEmail = (config: Config, user: User): string =>
  user.isEmailHidden ? noReplyEmail(config, user) : user.email;

/**
 * The accounts behind e-mail addresses, by the address in lower case; accounts that the caller may not know of are left
 * out.
 */
export async function findUsersByEmail(
  { table }: Pick<Forge, "table">,
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
    if (user !== undefined && maySeeUser(actor, user)) found.set(email.toLowerCase(), user);
  }
  return found;
}
