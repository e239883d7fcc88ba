import { authenticateClient } from "#core/oauth2-grant/authenticate-client";
import { type RedeemedLogin, redeemCode, redeemRefreshToken } from "#core/oauth2-grant/redeem";
import { OAuth2Refusal } from "#core/oauth2-grant/refusal";
import { jsonAnswer } from "./answer.ts";
import { clientCredentials } from "./client-credentials.ts";
import { idToken } from "./id-token.ts";
import type { Asked } from "./operation.ts";
import { bodyParameters, type Parameters, requireSingle } from "./parameters.ts";

/** POST /login/oauth/access_token: tokens for a code or a refresh token (semantics §68.2). */
export async function giveTokens({ forge, request, body }: Asked): Promise<Response> {
  const parameters = await bodyParameters(request, body);
  requireSingle(parameters);
  const redeemed = await redeem(forge, request, parameters);
  const { accessToken, refreshToken } = redeemed;
  const id = await idToken(forge, redeemed);
  return jsonAnswer({
    access_token: accessToken,
    token_type: "bearer",
    expires_in: forge.config.accessTokenSeconds,
    refresh_token: refreshToken,
    ...(id === undefined ? {} : { id_token: id }),
  });
}

async function redeem(
  forge: Asked["forge"],
  { headers }: Request,
  parameters: Parameters,
): Promise<RedeemedLogin> {
  const kind = parameters.text("grant_type");
  if (kind === "authorization_code") {
    const client = await authenticateClient(
      forge,
      clientCredentials(headers, parameters),
      "unauthorized_client",
    );
    return redeemCode(forge, client, {
      code: parameters.text("code"),
      redirectUri: parameters.optional("redirect_uri"),
      verifier: parameters.text("code_verifier"),
    });
  }
  if (kind === "refresh_token") {
    const client = await authenticateClient(forge, clientCredentials(headers, parameters));
    return redeemRefreshToken(forge, client, parameters.text("refresh_token"));
  }
  throw new OAuth2Refusal(
    "unsupported_grant_type",
    "grant_type has to be authorization_code or refresh_token",
  );
}
