import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** The facts about one key, or one of its subkeys. Times are whole seconds since the epoch. */
export interface GpgKeyPart {
  /** The last 16 hexadecimal digits of the fingerprint, upper case. */
  readonly keyId: string;
  /** The key alone, without its claims about itself. */
  readonly packet: Uint8Array;
  readonly createdAt: number;
  /** 0: it does not expire. */
  readonly expiresAt: number;
  readonly canSign: boolean;
  readonly canEncryptComms: boolean;
  readonly canEncryptStorage: boolean;
  readonly canCertify: boolean;
}

/** A user's OpenPGP key, with its subkeys. */
export interface GpgKey extends Item, GpgKeyPart {
  readonly id: number;
  readonly userId: number;
  /** The whole of it: signatures are verified with this. */
  readonly bytes: Uint8Array;
  /** The addresses that it certifies as its own, as written there. */
  readonly emails: readonly string[];
  readonly subkeys: readonly GpgKeyPart[];
  /** Ids of the key and of its signing subkeys: each has a guard. */
  readonly signingKeyIds: readonly string[];
  /** Whether its owner has signed a token with it; otherwise it speaks only for its own addresses. */
  readonly isVerified: boolean;
  readonly addedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** Keeps the id of a key, or of a signing subkey, unique; leads from a signature to the key. */
export interface GpgKeyGuard extends Item {
  readonly userId: number;
  readonly gpgKeyId: number;
  readonly _v: 1;
}

export const gpgKeyPrefix = "GPG#";
export const gpgKeyKey = (userId: number, id: number): TableKey => ({
  pk: userPartition(userId),
  sk: `${gpgKeyPrefix}${padded(id)}`,
});
/** All OpenPGP keys of a user, in the order of their ids. */
export const gpgKeysOf = (userId: number) => ({ pk: userPartition(userId), prefix: gpgKeyPrefix });
export const gpgKeyGuardKey = (keyId: string): TableKey => ({ pk: `GPGID#${keyId}`, sk: "#" });
