import { isShutOut } from "../access/account.ts";
import type { OAuth2Credential } from "../actor.ts";
import type { Config } from "../config.ts";
import { builtInOf } from "../oauth2-application/built-in.ts";
import { oauth2ApplicationGuardKey } from "../oauth2-application/oauth2-application.table.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { type OAuth2Grant, type OAuth2Login, oauth2GrantKey, oauth2LoginKey } from "./oauth2-grant.table.ts";

/** The keys of all that a program's token stands on, beside its user. */
export const validityKeys = (
  userId: number,
  { clientId, codeHash, programOwnerId }: Omit<OAuth2Credential, "grantId">,
): TableKey[] => [
  oauth2LoginKey(codeHash),
  oauth2GrantKey(userId, clientId),
  oauth2ApplicationGuardKey(clientId),
  ...(programOwnerId === undefined ? [] : [ownerKey(programOwnerId)]),
];

/**
 * The login that a token came from, if it still counts: neither it, nor its grant, nor its program was ended, and who
 * registered the program is not shut out. `found`: what `validityKeys` names, and the user.
 */
export function findValidLogin(
  { oauth2DefaultApplications }: Config,
  found: ReadonlyMap<string, Item>,
  userId: number,
  { clientId, grantId, codeHash, programOwnerId }: OAuth2Credential,
): OAuth2Login | undefined {
  const login = found.get(keyText(oauth2LoginKey(codeHash))) as OAuth2Login | undefined;
  const grant = found.get(keyText(oauth2GrantKey(userId, clientId))) as OAuth2Grant | undefined;
  const isKnown =
    found.has(keyText(oauth2ApplicationGuardKey(clientId))) ||
    builtInOf(oauth2DefaultApplications, clientId) !== undefined;
  const isOne = login?.userId === userId && login.clientId === clientId && login.counter !== undefined;
  if (programOwnerId !== undefined) {
    const owner = found.get(keyText(ownerKey(programOwnerId))) as User | undefined;
    if (owner?.kind !== "user" || isShutOut(owner)) return undefined;
  }
  return isKnown && isOne && grant?.id === grantId && login.grantId === grantId ? login : undefined;
}
