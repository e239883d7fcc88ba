import { accountProblem } from "#core/access/account";
import { findOAuth2Client } from "#core/oauth2-application/client";
import { authenticateClient, knowsSecret } from "#core/oauth2-grant/authenticate-client";
import { findOAuth2Holder, introspect } from "#core/oauth2-grant/caller";
import { groupClaims, shownName } from "#core/oauth2-grant/claims";
import { revokeOAuth2Token } from "#core/oauth2-grant/revoke";
import { apiScopesOf } from "#core/oauth2-grant/scope";
import { allows } from "#core/token/scope";
import { jsonAnswer } from "./answer.ts";
import { basicCredentials, clientCredentials } from "./client-credentials.ts";
import { userLinks } from "./id-token.ts";
import type { Asked } from "./operation.ts";
import { bodyParameters, requireSingle } from "./parameters.ts";

/** POST /login/oauth/introspect: whether a token counts, for programs with a secret (RFC 7662, semantics §68.2). */
export async function tellOfToken({ forge, request, body }: Asked): Promise<Response> {
  const parameters = await bodyParameters(request, body);
  requireSingle(parameters);
  const { clientId, secret } = basicCredentials(request.headers) ?? { clientId: "", secret: "" };
  const client = await findOAuth2Client(forge, clientId);
  if (client === undefined || !knowsSecret(client, secret)) {
    const challenge = { "www-authenticate": 'Basic realm="client id and secret"' };
    return jsonAnswer({ error: "invalid_client", error_description: "no such client" }, 401, challenge);
  }
  const holder = await introspect(forge, parameters.text("token"));
  if (holder === undefined) return jsonAnswer({ active: false });
  const { user, login, token } = holder;
  return jsonAnswer({
    active: true,
    scope: login.scopes.join(" "),
    username: user.name,
    client_id: token.clientId,
    ...{ iss: forge.config.rootUrl, aud: token.clientId, sub: String(user.id), exp: token.expiresAt },
  });
}

/** POST /login/oauth/revoke: ends a token of the calling program, and all that came from the same code (RFC 7009). */
export async function endToken({ forge, request, body }: Asked): Promise<Response> {
  const parameters = await bodyParameters(request, body);
  requireSingle(parameters);
  const client = await authenticateClient(forge, clientCredentials(request.headers, parameters));
  await revokeOAuth2Token(forge, client.clientId, parameters.text("token"));
  return new Response(null, { status: 200, headers: { "cache-control": "no-store" } });
}

/** GET, POST /login/oauth/userinfo: who an access token is for (OpenID Connect Core, section 5.3). */
export async function tellOfUser({ forge, request }: Asked): Promise<Response> {
  const [, text = ""] =
    /^(?:bearer|token)\s+(\S+)\s*$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  const holder = await findOAuth2Holder(forge, "access", text);
  if (holder === undefined || accountProblem(holder.user) !== undefined) {
    const challenge = text === "" ? "Bearer" : 'Bearer error="invalid_token"';
    const said = { error: "invalid_token", error_description: "send a valid access token as Bearer" };
    return jsonAnswer(said, 401, { "www-authenticate": challenge });
  }
  const { user, login } = holder;
  const seesEmail = login.scopes.includes("email") || allows(apiScopesOf(login.scopes), "user", "read");
  const groups = login.scopes.includes("groups")
    ? { groups: await groupClaims(forge, user, login.scopes.includes("public-only")) }
    : {};
  return jsonAnswer({
    ...{ sub: String(user.id), name: shownName(user), preferred_username: user.name },
    ...(seesEmail ? { email: user.email } : {}),
    picture: userLinks(forge, user).picture,
    ...groups,
  });
}
