import { accountProblem } from "../access/account.ts";
import type { Actor } from "../actor.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { keyText, type TableKey } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import type { OAuth2Login } from "./oauth2-grant.table.ts";
import { apiScopesOf } from "./scope.ts";
import { type ReadToken, readToken, type TokenKind } from "./tokens.ts";
import { findValidLogin, validityKeys } from "./valid-login.ts";

/** A token's user, and the login that it came from. */
export interface OAuth2Holder {
  readonly user: User;
  readonly login: OAuth2Login;
  readonly token: ReadToken;
}

/** The keys that say whether an access token still counts, and its user; undefined for what is none. Reads nothing. */
export async function oauth2HolderKeys(
  forge: Forge,
  text: string,
): Promise<{ readonly keys: readonly TableKey[]; readonly userId: number } | undefined> {
  if (!forge.config.oauth2Enabled) return undefined;
  const token = await readToken(forge, "access", text);
  return token === undefined ? undefined : { keys: validityKeys(token.userId, token), userId: token.userId };
}

/** The meaning of a token of a program, or undefined when it does not count. One request. */
export async function findOAuth2Holder(
  forge: Forge,
  kind: Exclude<TokenKind, "id">,
  text: string,
): Promise<OAuth2Holder | undefined> {
  if (!forge.config.oauth2Enabled) return undefined;
  const token = await readToken(forge, kind, text);
  if (token === undefined) return undefined;
  const owner = ownerKey(token.userId);
  const found = await forge.table.getAll([owner, ...validityKeys(token.userId, token)]);
  const user = found.get(keyText(owner)) as User | undefined;
  const login = findValidLogin(forge.config, found, token.userId, token);
  if (user?.kind !== "user" || login === undefined) return undefined;
  const isNewest =
    kind === "access" || !forge.config.invalidateRefreshTokens || login.counter === token.counter;
  return isNewest ? { user, login, token } : undefined;
}

/** The caller by an access token of a program, or undefined. */
export async function findOAuth2Actor(forge: Forge, text: string): Promise<Actor | undefined> {
  const holder = await findOAuth2Holder(forge, "access", text);
  return holder === undefined ? undefined : actorOf(holder);
}

function actorOf({ user, login, token }: OAuth2Holder): Actor {
  const { clientId, grantId, codeHash, programOwnerId, expiresAt } = token;
  const scopes = apiScopesOf(login.scopes);
  return {
    user,
    grant: {
      ...{ tokenId: 0, holderId: user.id, isMinted: true, scopes, expiresAt },
      isPublicOnly: scopes.includes("public-only"),
      oauth2: { clientId, grantId, codeHash, ...defined({ programOwnerId }) },
    },
  };
}

/** Whether an access or refresh token counts for anything now, and for whom. */
export async function introspect(forge: Forge, text: string): Promise<OAuth2Holder | undefined> {
  const holder =
    (await findOAuth2Holder(forge, "access", text)) ?? (await findOAuth2Holder(forge, "refresh", text));
  return holder === undefined || accountProblem(holder.user) !== undefined ? undefined : holder;
}
