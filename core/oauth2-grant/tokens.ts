import { randomUUID } from "node:crypto";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { nowSeconds } from "../clock.ts";
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
}

/** A token that was read, with its end in seconds since the epoch. */
export interface ReadToken extends TokenFacts {
  readonly expiresAt: number;
}

type Stores = Pick<Forge, "table" | "clock" | "secrets" | "config">;

const claimsShape = z.object({
  sub: z.string().regex(/^[1-9]\d{0,14}$/),
  aud: z.string(),
  gnt: z.string(),
  sid: z.string().regex(/^[0-9a-f]{64}$/),
  cnt: z.int(),
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
    sign: (kind, { userId, clientId, grantId, codeHash, counter }, lastsSeconds) =>
      sign(forge, signer, kind, lastsSeconds, {
        ...{ iss: rootUrl, sub: String(userId), aud: clientId, jti: randomUUID() },
        ...{ gnt: grantId, sid: codeHash, cnt: counter },
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
 * ended before is for `standing.ts`.
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

async function verified(forge: Stores, kind: TokenKind, text: string) {
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
        currentDate: new Date(forge.clock.now()),
      },
    );
    const { sub, aud, gnt, sid, cnt, exp } = claimsShape.parse(payload);
    const facts = { userId: Number(sub), clientId: aud, grantId: gnt, codeHash: sid, counter: cnt };
    return { ...facts, expiresAt: exp, kid };
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
