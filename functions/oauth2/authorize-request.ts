import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import { findOAuth2Client, type OAuth2Client } from "#core/oauth2-application/client";
import { isRegisteredRedirect } from "#core/oauth2-application/match-redirect";
import { isChallenge } from "#core/oauth2-grant/challenge";
import type { CodeRequest } from "#core/oauth2-grant/code";
import type { Challenge } from "#core/oauth2-grant/oauth2-grant.table";
import { OAuth2Refusal } from "#core/oauth2-grant/refusal";
import { readScopes } from "#core/oauth2-grant/scope";
import { type Parameters, requireSingle } from "./parameters.ts";

/** Where the browser is sent back to, whatever becomes of a request: it was checked. */
export interface ReturnAddress {
  readonly client: OAuth2Client;
  readonly redirectUri: string;
  /** Whether the program named it; then it names it again with the code. */
  readonly isNamed: boolean;
  readonly state: string | undefined;
}

/** What a program asks a user for. */
export interface AuthorizeRequest extends CodeRequest {
  /** `none`, `login`, `consent`, `select_account`, and words that mean nothing here. */
  readonly prompts: ReadonlySet<string>;
  /** How many seconds ago the user may have signed in at most. */
  readonly maxAge: number | undefined;
  /** An id token of the user whom the program means. */
  readonly idTokenHint: string | undefined;
}

/**
 * Finds the program, and where it wants its users back. BadRequest, which is told to the user: a wrong address is nobody's
 * to be sent to (semantics §68.2).
 */
export async function findReturnAddress(
  forge: Pick<Forge, "table" | "config">,
  parameters: Parameters,
): Promise<ReturnAddress> {
  for (const name of ["client_id", "redirect_uri"]) {
    if (parameters.repeated.has(name)) throw badRequest(`The program sent ${name} more than once.`);
  }
  const client = await findOAuth2Client(forge, parameters.text("client_id"));
  if (client === undefined) throw badRequest("There is no program of this client_id.");
  const named = parameters.optional("redirect_uri");
  const only = client.redirectUris.length === 1 ? client.redirectUris[0] : undefined;
  const redirectUri = named ?? only;
  if (redirectUri === undefined || !isRegisteredRedirect(client, redirectUri)) {
    throw badRequest(
      `The address that ${client.name} wants you to be sent back to is not registered with it (redirect_uri).`,
    );
  }
  const state = parameters.repeated.has("state") ? undefined : parameters.optional("state");
  return { client, redirectUri, isNamed: named !== undefined, state };
}

/** Reads the rest of a request. Throws OAuth2Refusal, which the program is told. */
export function readAuthorizeRequest(
  { client, redirectUri, isNamed }: ReturnAddress,
  parameters: Parameters,
): AuthorizeRequest {
  requireSingle(parameters);
  if (parameters.text("response_type") !== "code") {
    throw new OAuth2Refusal("unsupported_response_type", "response_type has to be code");
  }
  const read = readScopes(parameters.text("scope"));
  if ("unknown" in read) {
    throw new OAuth2Refusal("invalid_scope", `there is no scope ${read.unknown.replace(/[^\w:-]/g, "?")}`);
  }
  return {
    scopes: read.scopes,
    redirectUri: isNamed ? redirectUri : undefined,
    challenge: challengeIn(client, parameters),
    nonce: parameters.optional("nonce"),
    prompts: promptsIn(parameters),
    maxAge: maxAgeIn(parameters),
    idTokenHint: parameters.optional("id_token_hint"),
  };
}

/** OpenID Connect Core, section 3.1.2.1: `none` stands alone. */
function promptsIn(parameters: Parameters): ReadonlySet<string> {
  const prompts = new Set(parameters.text("prompt").split(" ").filter(Boolean));
  if (prompts.has("none") && prompts.size > 1) {
    throw new OAuth2Refusal("invalid_request", "prompt=none can't be sent with another prompt");
  }
  return prompts;
}

function maxAgeIn(parameters: Parameters): number | undefined {
  const text = parameters.optional("max_age");
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text))
    throw new OAuth2Refusal("invalid_request", "max_age has to be a number of seconds");
  return Number(text);
}

function challengeIn({ isConfidential }: OAuth2Client, parameters: Parameters): Challenge | undefined {
  const value = parameters.text("code_challenge");
  const method = parameters.optional("code_challenge_method") ?? (value === "" ? undefined : "plain");
  const invalid = (message: string) => new OAuth2Refusal("invalid_request", message);
  if (method !== undefined && method !== "S256" && method !== "plain") {
    throw invalid("code_challenge_method has to be S256 or plain");
  }
  if (value === "") {
    if (!isConfidential) throw invalid("a public client has to send a code_challenge (PKCE)");
    if (method !== undefined) throw invalid("code_challenge is missing");
    return undefined;
  }
  const challenge: Challenge = { method: method ?? "plain", value };
  if (!isChallenge(challenge)) {
    throw invalid("code_challenge has to be 43 to 128 letters, digits and - . _ ~, of S256 43");
  }
  return challenge;
}
