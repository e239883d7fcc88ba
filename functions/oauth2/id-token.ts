import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { emailClaims, groupClaims, profileClaims, type UserLinks } from "#core/oauth2-grant/claims";
import type { RedeemedLogin } from "#core/oauth2-grant/redeem";
import { identityScopesOf } from "#core/oauth2-grant/scope";
import type { User } from "#core/user/user.table";
import { avatarLink, linkTo } from "../http/answer/links.ts";

/** Where a user's page and picture are. */
export const userLinks = ({ config }: Pick<Forge, "config">, user: User): UserLinks => ({
  page: linkTo(config, user.name),
  picture: avatarLink(config, user),
});

/** Who logged in, signed for the program that asked (OpenID Connect Core); undefined without the scope `openid`. */
export async function idToken(
  forge: Forge,
  { login, user, signer }: RedeemedLogin,
): Promise<string | undefined> {
  const scopes = identityScopesOf(login.scopes);
  if (!scopes.includes("openid")) return undefined;
  const isPublicOnly = login.scopes.includes("public-only");
  const claims = {
    ...{ iss: forge.config.rootUrl, aud: login.clientId, sub: String(user.id) },
    ...defined({ nonce: login.nonce, auth_time: login.authTime }),
    ...(scopes.includes("profile") ? profileClaims(user, userLinks(forge, user)) : {}),
    ...(scopes.includes("email") ? await emailClaims(forge, user) : {}),
    ...(scopes.includes("groups") ? { groups: await groupClaims(forge, user, isPublicOnly) } : {}),
  };
  return signer.signId(claims, forge.config.accessTokenSeconds);
}
