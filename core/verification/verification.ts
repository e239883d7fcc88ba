import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { maySeeUser } from "../access/visibility.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { readSignature, type Signature } from "../git/object/signature.ts";
import { isSshSignatureOf } from "../git/object/ssh-signature.ts";
import { type GpgKey, type GpgKeyGuard, gpgKeyGuardKey, gpgKeyKey } from "../gpg-key/gpg-key.table.ts";
import { isGpgSignatureOf } from "../gpg-key/gpg-key.ts";
import { type KeyGuard, keyGuardKey } from "../public-key/public-key.table.ts";
import { type Item, keyText, type TableKey } from "../table.ts";
import { type EmailAddress, emailAddressKey, type User, userKey } from "../user/user.table.ts";
import * as users from "../user/user.ts";

/** A signed commit or tag: what `commitSignature` or `tagSignature` found, and its committer's or tagger's address. */
export interface Signed {
  readonly signature: string;
  readonly payload: Buffer;
  readonly email: string;
}

/** What is known of a signature. `reason` is a constant of the family's, or signer and key where it holds. */
export interface Judgement {
  readonly isVerified: boolean;
  readonly reason: string;
  /** Present where it holds. Not everybody may know of him: `judgementFor`. */
  readonly signer?: User;
}

const refused = (reason: string): Judgement => ({ isVerified: false, reason: `gpg.error.${reason}` });
const notSigned = refused("not_signed_commit");
const unreadable = refused("extract_sign");
const noKnownKey = refused("no_gpg_keys_found");
const notTheSigners = refused("no_committer_account");
const badSignature = refused("probable_bad_signature");

const longestSignature = 65_536;

/**
 * Verifies the signatures of commits and tags with the keys that users have added, in the order given; `undefined`
 * stands for what is not signed. A signature counts when its key is a user's, and the committer's address an activated
 * one of that user's. Two requests to the table, however many there are; none where nothing is signed.
 */
export async function verifyAll(forge: Forge, all: readonly (Signed | undefined)[]): Promise<Judgement[]> {
  const read = all.map((signed) => (signed === undefined ? undefined : withSignature(signed)));
  const known = await readSigners(
    forge,
    read.filter((one) => one !== undefined),
  );
  return Promise.all(read.map((one) => (one === undefined ? notSigned : verify(forge, one, known))));
}

/** What a caller is told: of a signer whom he may not know of nothing, as though his key were unknown (D-HIDDEN). */
export const judgementFor = (actor: Actor | undefined, judgement: Judgement): Judgement =>
  judgement.signer === undefined || maySeeUser(actor, judgement.signer) ? judgement : noKnownKey;

interface ReadSigned extends Signed {
  readonly read: Signature;
  /** Where it says whose the key is; absent where the signature names none. */
  readonly guardKey: TableKey | undefined;
}

function withSignature(signed: Signed): ReadSigned {
  const isTooLong = signed.signature.length > longestSignature;
  const read: Signature = isTooLong ? { kind: "unreadable" } : readSignature(signed.signature);
  return { ...signed, read, guardKey: guardKeyOf(read) };
}

function guardKeyOf(read: Signature): TableKey | undefined {
  if (read.kind === "ssh") return keyGuardKey(read.fingerprint);
  if (read.kind !== "gpg") return undefined;
  const keyId = read.fingerprint?.slice(-16) ?? read.keyId;
  return keyId === undefined ? undefined : gpgKeyGuardKey(keyId);
}

type Found = ReadonlyMap<string, Item>;

/** Whose key a signature names; a deploy key is nobody's. */
interface Holder {
  readonly userId: number;
  /** Of an OpenPGP key; an SSH key comes with the signature. */
  readonly gpgKeyId?: number;
}

function holderIn(found: Found, guardKey: TableKey | undefined): Holder | undefined {
  const guard =
    guardKey === undefined
      ? undefined
      : (found.get(keyText(guardKey)) as KeyGuard | (GpgKeyGuard & { use?: never }) | undefined);
  return guard === undefined || guard.use === "deploy" ? undefined : (guard as Holder);
}

/** The guards that the signatures lead to, then the users behind them, their keys, and the addresses in question. */
async function readSigners({ table }: Forge, signed: readonly ReadSigned[]): Promise<Found> {
  const guards = await table.getAll(signed.flatMap(({ guardKey }) => guardKey ?? []));
  const keys = signed.flatMap(({ guardKey, email }) => {
    const holder = holderIn(guards, guardKey);
    if (holder === undefined) return [];
    const { userId, gpgKeyId } = holder;
    const own = gpgKeyId === undefined ? [] : [gpgKeyKey(userId, gpgKeyId)];
    return [userKey(userId), emailAddressKey(userId, email), ...own];
  });
  return new Map([...guards, ...(await table.getAll(keys))]);
}

async function verify(forge: Forge, signed: ReadSigned, known: Found): Promise<Judgement> {
  const { read, guardKey, email } = signed;
  if (read.kind === "unreadable") return unreadable;
  const holder = holderIn(known, guardKey);
  if (holder === undefined) return noKnownKey;
  const { userId, gpgKeyId } = holder;
  const signer = known.get(keyText(userKey(userId))) as User | undefined;
  const key =
    gpgKeyId === undefined
      ? undefined
      : (known.get(keyText(gpgKeyKey(userId, gpgKeyId))) as GpgKey | undefined);
  if (signer?.kind !== "user" || (gpgKeyId !== undefined && key === undefined)) return noKnownKey;
  const address = known.get(keyText(emailAddressKey(signer.id, email))) as EmailAddress | undefined;
  if (!speaksFor(forge, { signer, address, key, email })) return notTheSigners;
  if (!(await holds(forge, signed, key))) return badSignature;
  const named = read.kind === "ssh" ? read.fingerprint : (guardKey?.pk.split("#")[1] ?? "");
  return { isVerified: true, reason: `${signer.name} / ${named}`, signer };
}

/** Whether the committer's address is the signer's; a GPG key that he never signed a token with must name it itself. */
function speaksFor(
  { config }: Forge,
  given: { signer: User; address: EmailAddress | undefined; key: GpgKey | undefined; email: string },
): boolean {
  const { signer, address, key } = given;
  const email = given.email.toLowerCase();
  const isOwn = address?.isVerified === true || email === users.noReplyEmail(config, signer);
  if (key === undefined || key.isVerified) return isOwn;
  return address?.isVerified === true && key.emails.some((one) => one.toLowerCase() === email);
}

/** What GPG signatures were found to be: the same key, signature and bytes always give the same. */
const knownResults = new LRUCache<string, boolean>({ max: 10_000 });

async function holds(
  forge: Forge,
  { read, signature, payload }: ReadSigned,
  key: GpgKey | undefined,
): Promise<boolean> {
  if (read.kind === "ssh") return isSshSignatureOf(read, payload);
  if (key === undefined) return false;
  const parts = createHash("sha256").update(key.bytes).update("\0").update(signature).update("\0");
  const memory = parts.update(payload).digest("base64");
  const remembered = knownResults.get(memory);
  if (remembered !== undefined) return remembered;
  const result = await isGpgSignatureOf(key.bytes, signature, payload, new Date(forge.clock.now()));
  knownResults.set(memory, result);
  return result;
}
