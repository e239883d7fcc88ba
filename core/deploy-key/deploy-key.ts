import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import type { KeyText } from "../public-key/key-text.ts";
import { type KeyGuard, keyGuardKey } from "../public-key/public-key.table.ts";
import { checkedKey, keyTaken, type NewKey } from "../public-key/public-key.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { put, remove, update, type Write } from "../table/write.ts";
import {
  type DeployKey,
  deployKeyFingerprintKey,
  deployKeyKey,
  deployKeysOf,
  deployKeyTitleKey,
} from "./deploy-key.table.ts";

/** The filters of a list of deploy keys. */
export interface DeployKeyFilter {
  readonly keyId?: number | undefined;
  readonly fingerprint?: string | undefined;
}

const mostPerRepository = 100;
const mostAttempts = 8;

/**
 * Adds a deploy key to a repository. 422 when it is not valid, when the repository has the key or the title already,
 * when it is a user's key, or when the repository has 100. One key may serve several repositories.
 */
export async function createDeployKey(forge: Forge, repositoryId: number, given: NewKey): Promise<DeployKey> {
  const { title, key } = checkedKey(given);
  if ((await listDeployKeys(forge, repositoryId)).length >= mostPerRepository) {
    throw invalid("Key", `a repository has at most ${mostPerRepository}: remove one first`);
  }
  const id = await nextId(forge.table, "deploy-key");
  for await (const _attempt of attempts(mostAttempts)) {
    const guard = await forge.table.get<KeyGuard>(keyGuardKey(key.fingerprint));
    if (guard?.use === "user") throw keyTaken();
    const keyId = guard?.keyId ?? (await nextId(forge.table, "key"));
    const deployKey: DeployKey = {
      ...deployKeyKey(repositoryId, id),
      ...key,
      id,
      keyId,
      repositoryId,
      title,
      isReadOnly: given.isReadOnly ?? false,
      createdAt: nowSeconds(forge.clock),
      _v: 1,
    };
    const outcome = await forge.table.transact([
      put({ ...deployKeyFingerprintKey(repositoryId, key.fingerprint), deployKeyId: id, _v: 1 }, absent),
      put({ ...deployKeyTitleKey(repositoryId, title), deployKeyId: id, _v: 1 }, absent),
      put(deployKey, absent),
      countUp(key, keyId, guard),
    ]);
    if (outcome.committed) return deployKey;
    if (outcome.failed.includes(0)) throw unprocessable("This key has already been added to this repository");
    if (outcome.failed.includes(1)) throw unprocessable("A key with the same name already exists");
  }
  throw conflict("the key is being added and removed elsewhere; try again");
}

function countUp({ fingerprint }: KeyText, keyId: number, guard: KeyGuard | undefined): Write {
  const key = keyGuardKey(fingerprint);
  return guard === undefined
    ? put({ ...key, use: "deploy", keyId, repositories: 1, _v: 1 }, absent)
    : update(key, { add: { repositories: 1 } }, equals({ use: "deploy", keyId }));
}

/** A repository's deploy keys by id. */
export async function listDeployKeys(
  forge: Forge,
  repositoryId: number,
  { keyId, fingerprint }: DeployKeyFilter = {},
): Promise<DeployKey[]> {
  const keys = await forge.table.queryAll<DeployKey>(deployKeysOf(repositoryId));
  return keys.filter(
    (key) =>
      (keyId === undefined || key.keyId === keyId) &&
      (fingerprint === undefined || key.fingerprint === fingerprint),
  );
}

/** A repository's deploy key; NotFound when it has none such. */
export async function getDeployKey(forge: Forge, repositoryId: number, id: number): Promise<DeployKey> {
  const key = await forge.table.get<DeployKey>(deployKeyKey(repositoryId, id));
  if (key === undefined) throw notFound(`deploy key does not exist [id: ${id}]`);
  return key;
}

/** Removes a deploy key. NotFound when there is none, Conflict when its uses elsewhere keep changing. */
export async function removeDeployKey(forge: Forge, repositoryId: number, id: number): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    const key = await getDeployKey(forge, repositoryId, id);
    if (await drop(forge, key)) return;
  }
  throw conflict("the key is being added and removed elsewhere; try again");
}

/** One attempt to remove a key; false when the key, or its use elsewhere, changed meanwhile. */
async function drop({ table }: Forge, key: DeployKey): Promise<boolean> {
  const { repositoryId, id, title, fingerprint, keyId } = key;
  const guard = await table.get<KeyGuard>(keyGuardKey(fingerprint));
  const { committed } = await table.transact([
    remove(deployKeyKey(repositoryId, id), exists),
    remove(deployKeyTitleKey(repositoryId, title)),
    remove(deployKeyFingerprintKey(repositoryId, fingerprint)),
    ...(guard?.use === "deploy" && guard.keyId === keyId ? [countDown(guard)] : []),
  ]);
  return committed;
}

function countDown({
  pk,
  sk,
  use,
  keyId,
  repositories,
}: Extract<KeyGuard, { readonly use: "deploy" }>): Write {
  const unchanged = equals({ use, keyId, repositories });
  return repositories <= 1
    ? remove({ pk, sk }, unchanged)
    : update({ pk, sk }, { add: { repositories: -1 } }, unchanged);
}

const removedPerStep = 20;

/** Removes deploy keys of a repository that is being deleted: one step, which may be repeated. */
export async function removeSomeDeployKeys(
  forge: Forge,
  repositoryId: number,
): Promise<{ hasFound: boolean; hasMore: boolean }> {
  const { items, next } = await forge.table.query<DeployKey>({
    ...deployKeysOf(repositoryId),
    limit: removedPerStep,
  });
  const dropped: boolean[] = [];
  for (const key of items) dropped.push(await drop(forge, key));
  return { hasFound: items.length > 0, hasMore: next !== undefined || dropped.includes(false) };
}
