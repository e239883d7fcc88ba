import { nowSeconds } from "../clock.ts";
import { TaskEnded } from "../compute/task.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { verifiedEmails } from "../user/verified-emails.ts";
import { type GpgKey, type GpgKeyGuard, gpgKeyGuardKey, gpgKeyKey, gpgKeysOf } from "./gpg-key.table.ts";
import { readGpgKeyTask, type SignatureToVerify, verifyGpgTask } from "./signature-tasks.ts";

const mostPerUser = 50;

/** A new OpenPGP key, with a signature of `gpgVerificationToken` when its addresses are not the user's. */
export interface NewGpgKey {
  readonly armoredKey: string;
  readonly armoredSignature?: string | undefined;
}

/**
 * Adds an OpenPGP key to a user: either it certifies an address of theirs, or they signed the token with it. 422
 * otherwise, when it is no key, when anybody has it or one of its signing subkeys, or when the user has 50 keys.
 */
export async function createGpgKey(forge: Forge, user: User, given: NewGpgKey): Promise<GpgKey> {
  const { armoredKey, armoredSignature } = given;
  const read = await forge.compute(readGpgKeyTask, { armored: armoredKey }).catch(tooHard);
  if ("problem" in read) throw invalid("ArmoredKey", read.problem);
  const isVerified = armoredSignature !== undefined && armoredSignature !== "";
  if (isVerified) await requireToken(forge, user, read.bytes, armoredSignature);
  else if ((await verifiedEmails(forge, user, read.emails)).size === 0) throw noEmail(forge, user);
  if ((await listGpgKeys(forge, user.id)).length >= mostPerUser) {
    throw invalid("ArmoredKey", `an account has at most ${mostPerUser} keys: remove one first`);
  }
  const id = await nextId(forge.table, "gpg-key");
  const { fingerprint: _fingerprint, ...parts } = read;
  const key: GpgKey = {
    ...gpgKeyKey(user.id, id),
    ...parts,
    id,
    userId: user.id,
    isVerified,
    addedAt: nowSeconds(forge.clock),
    v: 1,
    _v: 1,
  };
  const guards = key.signingKeyIds.map(
    (keyId): GpgKeyGuard => ({ ...gpgKeyGuardKey(keyId), userId: user.id, gpgKeyId: id, _v: 1 }),
  );
  const outcome = await forge.table.transact([
    put(key, absent),
    ...guards.map((guard) => put(guard, absent)),
  ]);
  if (outcome.committed) return key;
  throw unprocessable(`a key with the same id exists already [${key.signingKeyIds.join(", ")}]`);
}

/** Whether each signature is that of its key. One that can't be decided in time counts as false. */
export const areSignatures = (forge: Forge, signatures: readonly SignatureToVerify[]): Promise<boolean[]> =>
  forge.compute(verifyGpgTask, { signatures });

function tooHard(error: unknown): never {
  if (!(error instanceof TaskEnded)) throw error;
  throw invalid("ArmoredKey", "it takes too long to read: export it with export-minimal");
}

const howToSign = (token: string) =>
  `sign this token and send it as armored_signature: ${token} (echo -n ${token} | gpg -a --detach-sig)`;

const noEmail = (forge: Forge, user: User) =>
  unprocessable(
    `none of the addresses in the key is an activated one of yours: add one, or ${howToSign(gpgVerificationToken(forge, user))}`,
  );

const tokenSeconds = 3_600;

/**
 * The text that a user signs with a key to show that it is theirs. It changes each hour; the last one counts as well.
 */
export const gpgVerificationToken = (forge: Forge, user: User): string => tokenAt(forge, user, 0);

function tokenAt({ clock, secrets }: Forge, { id }: User, periodsAgo: number): string {
  const period = Math.floor(nowSeconds(clock) / tokenSeconds) - periodsAgo;
  return secrets.digest("gpg-key", `${id}:${period}`).toString("hex");
}

async function requireToken(forge: Forge, user: User, key: Uint8Array, armored: string): Promise<void> {
  const now = forge.clock.now();
  const tokens = [0, 1].map((periodsAgo) => tokenAt(forge, user, periodsAgo));
  // Many ways to write a text into a file end it with a newline.
  const texts = tokens.flatMap((token) => [token, `${token}\n`, `${token}\r\n`]);
  const signatures = texts.map((text) => ({ key, armored, payload: Buffer.from(text), now }));
  if ((await areSignatures(forge, signatures)).includes(true)) return;
  const how = howToSign(gpgVerificationToken(forge, user));
  throw unprocessable(`key, signature and token do not match, or the token is out of date: ${how}`);
}

/** A user's OpenPGP keys by id. */
export const listGpgKeys = (forge: Forge, userId: number): Promise<GpgKey[]> =>
  forge.table.queryAll<GpgKey>(gpgKeysOf(userId));

/** A user's OpenPGP key; NotFound when they have no such key. */
export async function getGpgKey(forge: Forge, userId: number, id: number): Promise<GpgKey> {
  const key = await forge.table.get<GpgKey>(gpgKeyKey(userId, id));
  if (key === undefined) throw notFound(`GPG key does not exist [id: ${id}]`);
  return key;
}

const mostAttempts = 5;

/**
 * Marks a key as verified for its owner, who signed the token with it. NotFound without such a key, 422 for another
 * signature.
 */
export async function verifyGpgKeyOwnership(
  forge: Forge,
  user: User,
  { keyId, armoredSignature }: { readonly keyId: string; readonly armoredSignature: string },
): Promise<GpgKey> {
  for await (const _attempt of attempts(mostAttempts)) {
    const keys = await listGpgKeys(forge, user.id);
    const key = keys.find((one) => one.keyId === keyId.toUpperCase().replace(/^0X/, ""));
    if (key === undefined) throw notFound(`GPG key does not exist [key id: ${keyId}]`);
    await requireToken(forge, user, key.bytes, armoredSignature);
    const verified: GpgKey = { ...key, isVerified: true, v: key.v + 1 };
    const { committed } = await forge.table.transact([put(verified, equals({ v: key.v }))]);
    if (committed) return verified;
  }
  throw conflict("the key is being changed elsewhere; try again");
}

/** Removes a user's key: its signatures are not verified any more. NotFound when the user has no such key. */
export async function removeGpgKey(forge: Forge, userId: number, id: number): Promise<void> {
  const key = await getGpgKey(forge, userId, id);
  const { committed } = await forge.table.transact(removalOf(key));
  if (!committed) throw notFound(`GPG key does not exist [id: ${id}]`);
}

/** Removes all keys of a user whose account ends. May be repeated. */
export async function removeGpgKeysOf(forge: Forge, userId: number): Promise<void> {
  for (const key of await listGpgKeys(forge, userId)) await forge.table.transact(removalOf(key));
}

const removalOf = ({ userId, id, signingKeyIds }: GpgKey): Write[] => [
  remove(gpgKeyKey(userId, id), exists),
  ...signingKeyIds.map((keyId) => remove(gpgKeyGuardKey(keyId), equals({ userId, gpgKeyId: id }))),
];
