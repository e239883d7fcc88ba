import type { Forge } from "../forge.ts";
import { findOAuth2Client, type OAuth2Client } from "../oauth2-application/client.ts";
import { isSecretOf } from "../oauth2-application/secret.ts";
import { type OAuth2Code, OAuth2Refusal } from "./refusal.ts";

/** How a program says who it is; empty where it says nothing. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly secret: string;
}

/** Whether a program has a secret and this is it. */
export const knowsSecret = ({ secretHash }: OAuth2Client, secret: string): boolean =>
  secretHash !== undefined && isSecretOf(secret, secretHash);

/**
 * The program that calls. Programs on users' machines need no secret: theirs is no secret. Throws OAuth2Refusal:
 * `invalid_client` for none, `onWrongSecret` for a wrong or missing secret.
 */
export async function authenticateClient(
  forge: Pick<Forge, "table" | "config">,
  { clientId, secret }: ClientCredentials,
  onWrongSecret: OAuth2Code = "invalid_client",
): Promise<OAuth2Client> {
  const client = await findOAuth2Client(forge, clientId);
  if (client === undefined) throw new OAuth2Refusal("invalid_client", "there is no client of this client_id");
  if (client.isConfidential && !knowsSecret(client, secret)) {
    throw new OAuth2Refusal(onWrongSecret, "client_secret is missing or wrong");
  }
  return client;
}
