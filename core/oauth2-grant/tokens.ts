import { randomUUID } from "node:crypto";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { type Signer, signingKey, verifyingKey } from "../signing-key/signing-key.ts";

/** Kinds of tokens, told apart by their header: none counts as another (RFC 8725, section 3.11). */
export type TokenKind = "access" | "refresh" | "id";
const types: Readonly<Record<TokenKind, string>> = { access: "at+jwt", refresh: "rt+jwt", id: "JWT" };

/** The facts of an access or refresh token. */
export interface TokenFacts {
  readonly userId: number;
  readonly clientId: string;
  readonly grantId: string;
  readonly codeHash: string;
  /** Which refresh token of its login this is, counted from the first. */
  readonly counter: number;
  /** Who registered the program; absent for those built in, and in tokens of a former release. */
  readonly programOwnerId?: number;
}

/** A token that was read, with its end in seconds since the epoch. */
export interface ReadToken extends TokenFacts {
  readonly expiresAt: number;
}

type Stores = Pick<Forge, "table" | "clock" | "secrets" | "config">;

/** What id tokens say of whom and for whom they are. */
const hintShape = z.object({ sub: z.string().regex(/^[1-9]\d{0,14}$/), aud: z.string() });

const claimsShape = hintShape.extend({
  gnt: z.string(),
  sid: z.string().regex(/^[0-9a-f]{64}$/),
  cnt: z.int(),
  own: z.int().optional(),
  exp: z.int(),
});

const longestToken = 4_096;
/** Tokens whose signatures were checked, by their texts: programs send the same one for an hour. */
const checkedIn = lazyFor(
  (_table: Forge["table"]) => new LRUCache<string, ReadToken & { readonly kid: string }>({ max: 2_000 }),
);

/** Signs tokens; the signer is taken before anything is written that only a token makes useful. */
export async function tokenSigner(forge: Stores): Promise<TokenSigner> {
  const signer = await signingKey(forge);
  const { rootUrl } = forge.config;
  return {
    sign: (kind, { userId, clientId, grantId, codeHash, counter, programOwnerId }, lastsSeconds) =>
      sign(forge, signer, kind, lastsSeconds, {
        ...{ iss: rootUrl, sub: String(userId), aud: clientId, jti: randomUUID() },
        ...{ gnt: grantId, sid: codeHash, cnt: counter, own: programOwnerId },
      }),
    signId: (claims, lastsSeconds) => sign(forge, signer, "id", lastsSeconds, claims),
  };
}

export interface TokenSigner {
  sign(kind: "access" | "refresh", facts: TokenFacts, lastsSeconds: number): Promise<string>;
  /** `claims` are all but the times. */
  signId(claims: JWTPayload, lastsSeconds: number): Promise<string>;
}

function sign(
  { clock }: Stores,
  { kid, alg, key }: Signer,
  kind: TokenKind,
  lastsSeconds: number,
  claims: JWTPayload,
): Promise<string> {
  const now = nowSeconds(clock);
  return new SignJWT({ ...claims, iat: now, exp: now + lastsSeconds })
    .setProtectedHeader({ alg, kid, typ: types[kind] })
    .sign(key);
}

/**
 * What a token of a kind says; undefined when it was not signed here, is of another kind, or is over. Whether it was
 * ended before is for `valid-login.ts`.
 */
export async function readToken(
  forge: Stores,
  kind: "access" | "refresh",
  text: string,
): Promise<ReadToken | undefined> {
  if (text.length > longestToken) return undefined;
  const now = nowSeconds(forge.clock);
  const memory = checkedIn(forge.table);
  const known = memory.get(`${kind} ${text}`);
  if (known !== undefined) {
    const isCounting = known.expiresAt > now && (await verifyingKey(forge, known.kid)) !== undefined;
    return isCounting ? known : undefined;
  }
  const read = await verified(forge, kind, text);
  if (read !== undefined) memory.set(`${kind} ${text}`, read);
  return read;
}

async function verified(forge: Stores, kind: "access" | "refresh", text: string) {
  const read = await signedClaims(forge, kind, text, claimsShape);
  if (read === undefined) return undefined;
  const { sub, aud, gnt, sid, cnt, own, exp } = read.claims;
  const facts = { userId: Number(sub), clientId: aud, grantId: gnt, codeHash: sid, counter: cnt };
  return { ...facts, ...defined({ programOwnerId: own }), expiresAt: exp, kid: read.kid };
}

/**
 * The id of the user whom an id token names that was signed here for this client, also when the token is over (OpenID
 * Connect Core, section 3.1.2.1); undefined for any other text, and once the key that signed it is forgotten.
 */
export async function hintedUserId(
  forge: Stores,
  clientId: string,
  idToken: string,
): Promise<number | undefined> {
  const read = await signedClaims(forge, "id", idToken, hintShape, { countsForever: true });
  return read?.claims.aud === clientId ? Number(read.claims.sub) : undefined;
}

/** The claims of a token of this kind and shape that was signed here, with the key's id; undefined for any other text. */
async function signedClaims<T>(
  forge: Stores,
  kind: TokenKind,
  text: string,
  shape: z.ZodType<T>,
  { countsForever = false } = {},
): Promise<{ readonly claims: T; readonly kid: string } | undefined> {
  let kid = "";
  try {
    const { payload } = await jwtVerify(
      text,
      async (header) => {
        kid = typeof header.kid === "string" ? header.kid : "";
        const found = await verifyingKey(forge, kid);
        if (found === undefined || found.alg !== header.alg) throw new UnknownKey();
        return found.key;
      },
      {
        algorithms: ["RS256", "ES256", "EdDSA"],
        typ: types[kind],
        issuer: forge.config.rootUrl,
        currentDate: new Date(countsForever ? 0 : forge.clock.now()),
      },
    );
    return { claims: shape.parse(payload), kid };
  } catch (error) {
    if (isBadToken(error)) return undefined;
    throw error;
  }
}

class UnknownKey extends Error {}

/** Anything that is wrong with the token itself; a table that can't be asked is no such thing. */
const isBadToken = (error: unknown): boolean =>
  error instanceof UnknownKey ||
  error instanceof z.ZodError ||
  String((error as { code?: unknown }).code).startsWith("ERR_J");
