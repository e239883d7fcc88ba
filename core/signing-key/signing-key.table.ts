import type { Item, TableKey } from "../table/write.ts";

/** The part of a key that everybody may know: a JSON Web Key (RFC 7517). */
export interface PublicKey {
  /** Its thumbprint (RFC 7638), by which tokens name it. */
  readonly kid: string;
  readonly alg: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  /** Seconds since the epoch. */
  readonly createdAt: number;
}

/** A key that signs no more. */
export interface FormerKey extends PublicKey {
  /** From then on nothing counts that it signed. */
  readonly expiresAt: number;
}

/** The keys of the service's tokens: one that signs, and those whose tokens still count. */
export interface SigningKeys extends Item {
  readonly current: PublicKey;
  /** The private half of the current one as a JSON Web Key, sealed. */
  readonly sealed: string;
  readonly former: readonly FormerKey[];
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

export const signingKeysKey: TableKey = { pk: "SYS", sk: "SIGNING" };
