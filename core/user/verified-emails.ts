import type { Forge } from "../forge.ts";
import { keyText, type TableKey } from "../table/write.ts";
import { type EmailAddress, emailAddressKey, type User } from "./user.table.ts";

/** The activated addresses of a user among these, in lower case. */
export async function verifiedEmails(
  { table }: Pick<Forge, "table">,
  { id }: Pick<User, "id">,
  emails: readonly string[],
): Promise<Set<string>> {
  const keys: readonly TableKey[] = emails.map((email) => emailAddressKey(id, email));
  const found = await table.getAll<EmailAddress>(keys);
  const isVerified = (key: TableKey) => found.get(keyText(key))?.isVerified === true;
  const own = emails.filter((_email, at) => isVerified(keys[at] as TableKey));
  return new Set(own.map((email) => email.toLowerCase()));
}
