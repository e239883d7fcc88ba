import { padded } from "../ids.ts";
import { keyPrefix } from "../public-key/public-key.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A deploy key: a public key of one repository instead of one user. Times are whole seconds since the epoch. */
export interface DeployKey extends Item {
  readonly id: number;
  /** Of the public key: the same in every repository that has it. */
  readonly keyId: number;
  readonly repositoryId: number;
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

export const deployKeyKey = (repositoryId: number, id: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${keyPrefix}${padded(id)}`,
});
/** All deploy keys of a repository, in the order of their ids. */
export const deployKeysOf = (repositoryId: number) => ({
  pk: repositoryPartition(repositoryId),
  prefix: keyPrefix,
});
/** Keeps a title unique among the deploy keys of a repository. */
export const deployKeyTitleKey = (repositoryId: number, title: string): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `KEYNAME#${title}`,
});
/** Keeps a key from being added to a repository twice. */
export const deployKeyFingerprintKey = (repositoryId: number, fingerprint: string): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `KEYFP#${fingerprint}`,
});
