import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/**
 * The second factor of a user: codes that a device derives from a shared seed and the time (RFC 6238), and spare ones.
 */
export interface SecondFactor extends Item {
  readonly userId: number;
  /** The seed in base32, sealed. */
  readonly sealedSeed: string;
  /** It counts once its owner has sent a code made from the seed. */
  readonly isOn: boolean;
  /** Hashes of the spare codes that are left. */
  readonly scratchDigests: readonly string[];
  /** The newest half minute whose code was used, and the digest of its user: nobody else may use it again. */
  readonly usedStep: number;
  readonly usedBy: string;
  /** Wrong device codes from anywhere within the hour that began then; absent: none yet. */
  readonly failures?: { readonly since: number; readonly count: number };
  readonly createdAt: number;
  readonly v: number;
  readonly _v: 1;
}

export const secondFactorKey = (userId: number): TableKey => ({ pk: userPartition(userId), sk: "TOTP" });
