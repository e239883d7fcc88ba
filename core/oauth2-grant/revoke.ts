import type { Forge } from "../forge.ts";
import { remove } from "../table/write.ts";
import { oauth2LoginKey } from "./oauth2-grant.table.ts";
import { OAuth2Refusal } from "./refusal.ts";
import { readToken } from "./tokens.ts";

/**
 * Ends the login that a token of a program came from, with all its tokens (RFC 7009); nothing happens for a token that
 * counts for nothing. The user's grant stays. Throws OAuth2Refusal for a token of another program.
 */
export async function revokeOAuth2Token(forge: Forge, clientId: string, text: string): Promise<void> {
  const token = (await readToken(forge, "access", text)) ?? (await readToken(forge, "refresh", text));
  if (token === undefined) return;
  if (token.clientId !== clientId) {
    throw new OAuth2Refusal("invalid_grant", "the token was given to another client");
  }
  await forge.table.write(remove(oauth2LoginKey(token.codeHash)));
}
