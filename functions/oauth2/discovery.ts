import { listSigningKeys } from "#core/signing-key/signing-key";
import type { Asked } from "./operation.ts";

const publicAnswer = (value: object): Response =>
  new Response(JSON.stringify(value), { headers: { "content-type": "application/json;charset=utf-8" } });

/** GET /.well-known/openid-configuration: where everything is (OpenID Connect Discovery, semantics §68.2). */
export async function tellOfProvider({ forge }: Asked): Promise<Response> {
  const { rootUrl, jwtSigningAlgorithm } = forge.config;
  const base = `${rootUrl}/login/oauth`;
  const clientAuthentication = ["client_secret_basic", "client_secret_post", "none"];
  return publicAnswer({
    issuer: rootUrl,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/access_token`,
    jwks_uri: `${base}/keys`,
    userinfo_endpoint: `${base}/userinfo`,
    introspection_endpoint: `${base}/introspect`,
    revocation_endpoint: `${base}/revoke`,
    response_types_supported: ["code", "id_token"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [jwtSigningAlgorithm],
    scopes_supported: ["openid", "profile", "email", "groups"],
    claims_supported: [
      ...[
        "aud",
        "exp",
        "iat",
        "iss",
        "sub",
        "nonce",
        "auth_time",
        "name",
        "preferred_username",
        "profile",
        "picture",
      ],
      ...["website", "locale", "updated_at", "email", "email_verified", "groups"],
    ],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    code_challenge_methods_supported: ["plain", "S256"],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    introspection_endpoint_auth_methods_supported: ["client_secret_basic"],
    authorization_response_iss_parameter_supported: true,
  });
}

/** GET /login/oauth/keys: what verifies tokens, as a JWK set (RFC 7517). */
export async function showKeys({ forge }: Asked): Promise<Response> {
  const keys = await listSigningKeys(forge);
  return publicAnswer({ keys: keys.map(({ kid, alg, jwk }) => ({ ...jwk, kid, alg, use: "sig" })) });
}
