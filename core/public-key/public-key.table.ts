import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/**
 * Keeps a key unique over the instance, by its fingerprint: it belongs to one user, or is a deploy key of any number of
 * repositories, never both.
 */
export type KeyGuard = Item & { readonly keyId: number; readonly _v: 1 } & (
    | { readonly use: "user"; readonly userId: number }
    | { readonly use: "deploy"; readonly repositories: number }
  );

/** A user's public key. Times are whole seconds since the epoch. */
export interface PublicKey extends Item {
  readonly id: number;
  readonly userId: number;
  readonly title: string;
  /** For instance `ssh-ed25519`. */
  readonly type: string;
  readonly base64: string;
  readonly comment: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
  readonly isReadOnly: boolean;
  readonly createdAt: number;
  readonly _v: 1;
}

/** The owner of a key's id: requests that remove a key give its id alone. */
export interface KeyIdRow extends Item {
  readonly userId: number;
  readonly _v: 1;
}

/** Sort keys of a user's or a repository's keys begin with this. */
export const keyPrefix = "KEY#";

export const keyGuardKey = (fingerprint: string): TableKey => ({ pk: `FP#${fingerprint}`, sk: "#" });
export const publicKeyKey = (userId: number, id: number): TableKey => ({
  pk: userPartition(userId),
  sk: `${keyPrefix}${padded(id)}`,
});
export const keyIdRowKey = (id: number): TableKey => ({ pk: `ID#key#${id}`, sk: "#" });
/** Keeps a key's title unique among the keys of its owner. */
export const keyTitleKey = (userId: number, title: string): TableKey => ({
  pk: userPartition(userId),
  sk: `KEYNAME#${title}`,
});
