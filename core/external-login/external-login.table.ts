import { createHash } from "node:crypto";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** Somebody at a provider of OpenID Connect who signs in as a user. */
export interface ExternalLogin extends Item {
  readonly userId: number;
  /** SHA-256 of issuer and subject: its guard lies there. */
  readonly hash: string;
  readonly issuer: string;
  readonly subject: string;
  /** The name of the source by which it was linked. */
  readonly source: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly _v: 1;
}

/** Leads from issuer and subject to the user: one person at a provider is one user here. */
export interface ExternalLoginGuard extends Item {
  readonly userId: number;
  readonly _v: 1;
}

/** Sort keys of a user's external logins begin with this. */
export const externalLoginPrefix = "EXT#";

/** Both texts are of the provider's choice and of any length. */
export const externalHash = (issuer: string, subject: string): string =>
  createHash("sha256")
    .update(JSON.stringify([issuer, subject]))
    .digest("hex");

export const externalLoginKey = (userId: number, hash: string): TableKey => ({
  pk: userPartition(userId),
  sk: `${externalLoginPrefix}${hash}`,
});
export const externalLoginGuardKey = (hash: string): TableKey => ({ pk: `EXT#${hash}`, sk: "#" });
