import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { randomSecret, secretHashOf } from "../oauth2-application/secret.ts";
import { absent } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { type Challenge, type OAuth2Grant, type OAuth2Login, oauth2LoginKey } from "./oauth2-grant.table.ts";

/** Codes are exchanged at once, by programs (semantics §68.2). */
const codeSeconds = 600;

/** What a code is bound to. */
export interface CodeRequest {
  readonly scopes: readonly string[];
  /** As the program sent it, if it did. */
  readonly redirectUri?: string | undefined;
  readonly challenge?: Challenge | undefined;
  readonly nonce?: string | undefined;
  /** When the user signed in, in seconds. */
  readonly authTime?: number | undefined;
}

/** Makes a code under a grant, and answers its text: it is exchanged once, within ten minutes. */
export async function createOAuth2Code(
  { table, clock }: Pick<Forge, "table" | "clock">,
  { userId, clientId, id: grantId }: OAuth2Grant,
  { scopes, redirectUri, challenge, nonce, authTime }: CodeRequest,
): Promise<string> {
  const code = randomSecret("gta_");
  const now = nowSeconds(clock);
  const login: OAuth2Login = {
    ...oauth2LoginKey(secretHashOf(code)),
    ...{ userId, clientId, grantId, scopes },
    ...defined({ redirectUri, challenge, nonce, authTime }),
    createdAt: now,
    ttl: now + codeSeconds,
    _v: 1,
  };
  await table.transact([put(login, absent)]);
  return code;
}
