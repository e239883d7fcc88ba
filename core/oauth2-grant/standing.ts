import type { OAuth2Credential } from "../actor.ts";
import type { Config } from "../config.ts";
import { builtInOf } from "../oauth2-application/built-in.ts";
import { oauth2ApplicationGuardKey } from "../oauth2-application/oauth2-application.table.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import { type OAuth2Grant, type OAuth2Login, oauth2GrantKey, oauth2LoginKey } from "./oauth2-grant.table.ts";

/** The keys of all that a program's token stands on, beside its user. */
export const standingKeys = (
  userId: number,
  { clientId, codeHash }: Omit<OAuth2Credential, "grantId">,
): TableKey[] => [
  oauth2LoginKey(codeHash),
  oauth2GrantKey(userId, clientId),
  oauth2ApplicationGuardKey(clientId),
];

/** The login that a token came from, if it still counts: neither it, nor its grant, nor its program was ended. */
export function standingLogin(
  { oauth2DefaultApplications }: Config,
  found: ReadonlyMap<string, Item>,
  userId: number,
  { clientId, grantId, codeHash }: OAuth2Credential,
): OAuth2Login | undefined {
  const login = found.get(keyText(oauth2LoginKey(codeHash))) as OAuth2Login | undefined;
  const grant = found.get(keyText(oauth2GrantKey(userId, clientId))) as OAuth2Grant | undefined;
  const isKnown =
    found.has(keyText(oauth2ApplicationGuardKey(clientId))) ||
    builtInOf(oauth2DefaultApplications, clientId) !== undefined;
  const isOne = login?.userId === userId && login.clientId === clientId && login.counter !== undefined;
  return isKnown && isOne && grant?.id === grantId && login.grantId === grantId ? login : undefined;
}
