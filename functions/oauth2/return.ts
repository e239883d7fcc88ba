import type { Forge } from "#core/forge";
import { type CodeRequest, createOAuth2Code } from "#core/oauth2-grant/code";
import type { OAuth2Grant } from "#core/oauth2-grant/oauth2-grant.table";
import type { OAuth2Refusal } from "#core/oauth2-grant/refusal";
import { leaveTo } from "../pages/frame.ts";
import type { ReturnAddress } from "./authorize-request.ts";

type Config = Pick<Forge, "config">;

/** Sends the browser back to the program with a code. */
export async function returnWithCode(
  forge: Forge,
  address: ReturnAddress,
  grant: OAuth2Grant,
  request: CodeRequest,
): Promise<Response> {
  return returned(forge, address, { code: await createOAuth2Code(forge, grant, request) });
}

/** Sends the browser back with a refusal (RFC 6749, section 4.1.2.1). */
export const returnWithRefusal = (
  forge: Config,
  address: ReturnAddress,
  { code, message }: Pick<OAuth2Refusal, "code" | "message">,
): Response => returned(forge, address, { error: code, error_description: message });

/** `iss` says whose answer it is: programs that know several providers can't mix them up (RFC 9207). */
function returned(
  { config }: Config,
  { redirectUri, state }: ReturnAddress,
  answer: Readonly<Record<string, string>>,
): Response {
  const query = new URLSearchParams({
    ...answer,
    ...(state === undefined ? {} : { state }),
    iss: config.rootUrl,
  });
  return leaveTo(`${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`);
}
