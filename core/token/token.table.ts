import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** The token that a token was created with: it counts only as long as that one exists (decision 13). */
export interface MintedBy {
  readonly userId: number;
  readonly tokenId: number;
}

/** The item that authentication reads: found by the hash of the token's text. */
export interface TokenGuard extends Item {
  readonly tokenId: number;
  readonly userId: number;
  readonly scopes: readonly string[];
  /** It no longer counts from then on; absent for tokens without an end. */
  readonly expiresAt?: number;
  /** Absent for tokens that were created with a password. */
  readonly mintedBy?: MintedBy;
  /** When its use was recorded last, so that no other item need be read to know whether it is time again. */
  readonly usedAt?: number;
  readonly _v: 1;
}

/** A token in its owner's list. Times are whole seconds since the epoch; 0 stands for "never". */
export interface Token extends Item {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** SHA-256 of the token's text in hex: its guard lies there. */
  readonly hash: string;
  readonly lastEight: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly mintedBy?: MintedBy;
  readonly lastUsedAt: number;
  readonly _v: 1;
}

/** Sort keys of a user's tokens begin with this. */
export const tokenPrefix = "TOK#";

export const tokenGuardKey = (hash: string): TableKey => ({ pk: `TOK#${hash}`, sk: "#" });
export const tokenKey = (userId: number, id: number): TableKey => ({
  pk: userPartition(userId),
  sk: `${tokenPrefix}${padded(id)}`,
});
/** Keeps a token's name unique among the tokens of its owner. */
export const tokenNameKey = (userId: number, name: string): TableKey => ({
  pk: userPartition(userId),
  sk: `TOKNAME#${name}`,
});
