import { nowSeconds } from "../clock.ts";
import { forbidden, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import { type KeyText, readKeyText } from "./key-text.ts";
import {
  type KeyGuard,
  type KeyIdRow,
  keyGuardKey,
  keyIdRowKey,
  keyPrefix,
  keyTitleKey,
  type PublicKey,
  publicKeyKey,
} from "./public-key.table.ts";

/** A key as callers give it, unchecked. */
export interface NewKey {
  readonly title: string;
  /** In the form for `readKeyText`. */
  readonly key: string;
  readonly isReadOnly?: boolean;
}

const mostPerUser = 100;
const longestTitle = 255;

/** The title, trimmed, and the key in its parts; 422 when one of them is not valid. */
export function checkedKey(given: NewKey): { title: string; key: KeyText } {
  const title = given.title.trim();
  if (title === "") throw invalid("Title", "Required");
  if (title.length > longestTitle) throw invalid("Title", `MaxSize ${longestTitle}`);
  const key = readKeyText(given.key);
  if ("problem" in key) throw unprocessable(`Invalid key content: ${key.problem}`);
  return { title, key };
}

/**
 * Adds a key to a user. 422 when it is not valid, when anybody has it already or a repository has it as a deploy key,
 * when the user has another key of this title, or 100 keys.
 */
export async function createPublicKey(forge: Forge, userId: number, given: NewKey): Promise<PublicKey> {
  const { title, key } = checkedKey(given);
  if ((await listPublicKeys(forge, userId)).length >= mostPerUser) {
    throw invalid("Key", `an account has at most ${mostPerUser}: remove one first`);
  }
  const id = await nextId(forge.table, "key");
  const publicKey: PublicKey = {
    ...publicKeyKey(userId, id),
    ...key,
    id,
    userId,
    title,
    isReadOnly: given.isReadOnly ?? false,
    createdAt: nowSeconds(forge.clock),
    _v: 1,
  };
  const guard: KeyGuard = { ...keyGuardKey(key.fingerprint), use: "user", keyId: id, userId, _v: 1 };
  const row: KeyIdRow = { ...keyIdRowKey(id), userId, _v: 1 };
  const outcome = await forge.table.transact([
    put(guard, absent),
    put({ ...keyTitleKey(userId, title), keyId: id, _v: 1 }, absent),
    put(publicKey, absent),
    put(row, absent),
  ]);
  if (outcome.committed) return publicKey;
  if (outcome.failed.includes(0)) throw keyTaken();
  throw unprocessable("Key title has been used");
}

/** In the family's words, which its clients compare. */
export const keyTaken = () => unprocessable("Key content has been used as non-deploy key");

/** A user's keys by id, all of them or those with this fingerprint (`SHA256:…`). */
export async function listPublicKeys(
  forge: Forge,
  userId: number,
  fingerprint?: string,
): Promise<PublicKey[]> {
  const keys = await forge.table.queryAll<PublicKey>({ pk: userPartition(userId), prefix: keyPrefix });
  return fingerprint === undefined ? keys : keys.filter((key) => key.fingerprint === fingerprint);
}

/** The user's key with this fingerprint (`SHA256:…`), for any user; undefined when no user has it. */
export async function findPublicKeyByFingerprint(
  { table }: Forge,
  fingerprint: string,
): Promise<PublicKey | undefined> {
  const guard = await table.get<KeyGuard>(keyGuardKey(fingerprint));
  if (guard?.use !== "user") return undefined;
  return table.get<PublicKey>(publicKeyKey(guard.userId, guard.keyId));
}

/** A user's key; NotFound when they have no such key. */
export async function getPublicKey(forge: Forge, userId: number, id: number): Promise<PublicKey> {
  const key = await find(forge, userId, id);
  if (key === undefined) throw missing(id);
  return key;
}

const missing = (id: number) => notFound(`public key does not exist [id: ${id}]`);

const find = (forge: Forge, userId: number, id: number): Promise<PublicKey | undefined> =>
  forge.table.get<PublicKey>(publicKeyKey(userId, id));

/** Removes a user's key. NotFound when there is none, Forbidden when it is another user's (semantics §26). */
export async function removePublicKey(forge: Forge, userId: number, id: number): Promise<void> {
  const key = await find(forge, userId, id);
  if (key === undefined) {
    const row = await forge.table.get<KeyIdRow>(keyIdRowKey(id));
    throw row === undefined || row.userId === userId ? missing(id) : forbidden("the key is another user's");
  }
  const { committed } = await forge.table.transact(removalOf(key));
  if (!committed) throw missing(id);
}

/** Removes all keys of a user whose account ends. May be repeated. */
export async function removePublicKeysOf(forge: Forge, userId: number): Promise<void> {
  for (const key of await listPublicKeys(forge, userId)) await forge.table.transact(removalOf(key));
}

const removalOf = ({ userId, id, title, fingerprint }: PublicKey): Write[] => [
  remove(publicKeyKey(userId, id), exists),
  remove(keyTitleKey(userId, title)),
  remove(keyGuardKey(fingerprint), equals({ keyId: id })),
  remove(keyIdRowKey(id)),
];

/** A key in the form of authorized keys; the comment is for its owner, because it often names their machine. */
export const keyLine = (
  { type, base64, comment }: Pick<KeyText, "type" | "base64" | "comment">,
  { withComment }: { withComment: boolean },
): string => [type, base64, ...(withComment && comment !== "" ? [comment] : [])].join(" ");
