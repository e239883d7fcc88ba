import { accountProblem } from "../access/account.ts";
import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { OAuth2Client } from "../oauth2-application/client.ts";
import { isSameRedirect } from "../oauth2-application/match-redirect.ts";
import { secretHashOf } from "../oauth2-application/secret.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { all, equals } from "../table/condition.ts";
import { check, keyText, remove, update } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { isVerified } from "./challenge.ts";
import { type OAuth2Grant, type OAuth2Login, oauth2GrantKey, oauth2LoginKey } from "./oauth2-grant.table.ts";
import { OAuth2Refusal } from "./refusal.ts";
import { readToken, type TokenSigner, tokenSigner } from "./tokens.ts";

/** A login that has just got tokens. */
export interface RedeemedLogin {
  readonly login: OAuth2Login;
  readonly user: User;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly signer: TokenSigner;
}

const secondsPerHour = 3_600;
/** A refresh token that comes again within this time is no theft: the program sent two requests at once, or one anew. */
const innocentSeconds = 60;

/**
 * Exchanges a code for tokens, once. A second use ends what came from the first (RFC 6749, section 4.1.2): one of the
 * two was a thief. Throws OAuth2Refusal.
 */
export async function redeemCode(
  forge: Forge,
  client: OAuth2Client,
  given: { readonly code: string; readonly redirectUri: string | undefined; readonly verifier: string },
): Promise<RedeemedLogin> {
  const key = oauth2LoginKey(secretHashOf(given.code));
  const login = await forge.table.get<OAuth2Login>(key);
  const isOver = login !== undefined && login.ttl <= nowSeconds(forge.clock);
  if (login === undefined || (isOver && login.counter === undefined)) throw unusable();
  if (login.clientId !== client.clientId) {
    throw new OAuth2Refusal("invalid_grant", "the code was given to another client");
  }
  requireBinding(login, given); // first: a stranger with the code alone ends nothing
  if (login.counter !== undefined) return usedTwice(forge, login);
  const user = await requireStanding(forge, login);
  const redeemed = await advance(forge, client, login, user);
  return redeemed ?? usedTwice(forge, login);
}

const unusable = (): OAuth2Refusal =>
  new OAuth2Refusal("unauthorized_client", "the code is unknown, over or was used: ask for a new one");

async function usedTwice(forge: Forge, login: OAuth2Login): Promise<never> {
  await endStolen(forge, login, "oauth2:code-used-twice");
  throw unusable();
}

/** Ends a login with all its tokens, whoever has them. */
async function endStolen(
  { table, log }: Forge,
  { pk, sk, clientId, userId }: OAuth2Login,
  message: string,
): Promise<void> {
  await table.write(remove({ pk, sk }));
  log.warn(message, { clientId, userId });
}

function requireBinding(
  login: OAuth2Login,
  { redirectUri, verifier }: { readonly redirectUri: string | undefined; readonly verifier: string },
): void {
  const isSame =
    login.redirectUri === undefined
      ? redirectUri === undefined
      : redirectUri !== undefined && isSameRedirect(login.redirectUri, redirectUri);
  if (!isSame) {
    throw new OAuth2Refusal("unauthorized_client", "redirect_uri is not the one that the code was sent to");
  }
  if (!isVerified(login.challenge, verifier)) {
    throw new OAuth2Refusal(
      "unauthorized_client",
      "code_verifier does not match the code_challenge that the code was asked for with",
    );
  }
}

/**
 * New tokens for a refresh token; those before count no more, unless the setting says so. One that comes again later
 * ends the login: of its two holders one is a thief (RFC 9700, section 4.14.2). Throws OAuth2Refusal.
 */
export async function redeemRefreshToken(
  forge: Forge,
  client: OAuth2Client,
  text: string,
): Promise<RedeemedLogin> {
  const token = await readToken(forge, "refresh", text);
  if (token === undefined) {
    throw new OAuth2Refusal("unauthorized_client", "the refresh token can't be read, or is over");
  }
  if (token.clientId !== client.clientId) {
    throw new OAuth2Refusal("invalid_grant", "the refresh token was given to another client");
  }
  const login = await forge.table.get<OAuth2Login>(oauth2LoginKey(token.codeHash));
  if (login?.userId !== token.userId || login.grantId !== token.grantId || login.counter === undefined) {
    throw grantGone();
  }
  const user = await requireStanding(forge, login);
  if (forge.config.invalidateRefreshTokens && login.counter !== token.counter) {
    if (!isJustRefreshed(forge, login)) await endStolen(forge, login, "oauth2:refresh-token-used-twice");
    throw refreshedTwice();
  }
  const redeemed = await advance(forge, client, login, user);
  if (redeemed === undefined) throw refreshedTwice();
  return redeemed;
}

/** A login lasts as long as the refresh token that it got last. */
const isJustRefreshed = ({ clock, config }: Forge, { ttl }: OAuth2Login): boolean =>
  nowSeconds(clock) < ttl - config.refreshTokenHours * secondsPerHour + innocentSeconds;

const refreshedTwice = (): OAuth2Refusal =>
  new OAuth2Refusal("unauthorized_client", "the refresh token was used before: take the newest");

const grantGone = (): OAuth2Refusal =>
  new OAuth2Refusal("invalid_grant", "the user took the access back, or may not log in: ask them again");

/** The user of a login that still may give it. */
async function requireStanding({ table }: Forge, login: OAuth2Login): Promise<User> {
  const [owner, key] = [ownerKey(login.userId), oauth2GrantKey(login.userId, login.clientId)];
  const found = await table.getAll([owner, key]);
  const user = found.get(keyText(owner)) as User | undefined;
  const grant = found.get(keyText(key)) as OAuth2Grant | undefined;
  if (user?.kind !== "user" || accountProblem(user) !== undefined) throw grantGone();
  if (grant?.id !== login.grantId) throw grantGone();
  return user;
}

/** Counts a login on and makes its tokens; undefined when somebody else did so first. */
async function advance(
  forge: Forge,
  { ownerId }: OAuth2Client,
  login: OAuth2Login,
  user: User,
): Promise<RedeemedLogin | undefined> {
  const { table, clock, config } = forge;
  const signer = await tokenSigner(forge);
  const lastsSeconds = config.refreshTokenHours * secondsPerHour;
  const counts = config.invalidateRefreshTokens || login.counter === undefined;
  const counter = (login.counter ?? 0) + (counts ? 1 : 0);
  const set = { counter, ttl: nowSeconds(clock) + lastsSeconds };
  const { userId, clientId, grantId } = login;
  // As one transaction: a write that conflicts with itself would look like a second use.
  const { committed } = await table.transact([
    update(login, { set }, all(equals({ grantId, counter: login.counter }))),
    check(oauth2GrantKey(userId, clientId), equals({ id: grantId })),
  ]);
  if (!committed) return undefined;
  const facts = {
    ...{ userId, clientId, grantId, codeHash: login.pk.slice("OAUTH2CODE#".length), counter },
    ...defined({ programOwnerId: ownerId }),
  };
  const [accessToken, refreshToken] = await Promise.all([
    signer.sign("access", facts, config.accessTokenSeconds),
    signer.sign("refresh", facts, lastsSeconds),
  ]);
  return { login: { ...login, ...defined(set) }, user, accessToken, refreshToken, signer };
}
