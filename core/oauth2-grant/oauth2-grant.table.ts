import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** What a user lets a program do in their name (semantics §68.2). Times are seconds since the epoch. */
export interface OAuth2Grant extends Item {
  /** Random: tokens name it, so that none counts again when it was taken back or narrowed, and given anew. */
  readonly id: string;
  readonly userId: number;
  readonly clientId: string;
  /** As `readScopes` has them. */
  readonly scopes: readonly string[];
  /** Hashes of the addresses that the user agreed to be sent back to, the last one last; absent: none is known. */
  readonly addresses?: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** The same at the program, for the program's end. */
export interface OAuth2GrantMirror extends Item {
  readonly userId: number;
  readonly _v: 1;
}

/** How a code is proven to be its program's (RFC 7636). */
export interface Challenge {
  readonly method: "S256" | "plain";
  readonly value: string;
}

/**
 * One login of a program: a code first, then what its tokens stand on. Found by the hash of the code. It is over with
 * its `ttl`, whether the item is still there or not.
 */
export interface OAuth2Login extends Item {
  readonly userId: number;
  readonly clientId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** As the program sent it; absent: it sent none. */
  readonly redirectUri?: string;
  readonly challenge?: Challenge;
  readonly nonce?: string;
  /** When the user signed in; absent in logins of the program before. */
  readonly authTime?: number;
  /** How often tokens were made; absent while it is a code. A refresh token counts with the number it was made with. */
  readonly counter?: number;
  readonly createdAt: number;
  readonly ttl: number;
  readonly _v: 1;
}

/** Sort keys of a user's grants begin with this. */
export const oauth2GrantPrefix = "OAUTH2GRANT#";
/** Sort keys of a program's grants begin with this. */
export const oauth2GrantMirrorPrefix = "GRANT#";

export const oauth2GrantKey = (userId: number, clientId: string): TableKey => ({
  pk: userPartition(userId),
  sk: `${oauth2GrantPrefix}${clientId}`,
});
export const oauth2GrantMirrorKey = (clientId: string, userId: number): TableKey => ({
  pk: `OAUTH2#${clientId}`,
  sk: `${oauth2GrantMirrorPrefix}${userId}`,
});
export const oauth2LoginKey = (codeHash: string): TableKey => ({ pk: `OAUTH2CODE#${codeHash}`, sk: "#" });
