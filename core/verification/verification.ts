import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { maySeeUser } from "../access/visibility.ts";
import type { Actor } from "../actor.ts";
import { TaskEnded } from "../compute/task.ts";
import type { Forge } from "../forge.ts";
import { readSignature, type Signature } from "../git/format/signature.ts";
import { verifySshTask } from "../git/format/ssh-signature-task.ts";
import { type GpgKey, type GpgKeyGuard, gpgKeyGuardKey, gpgKeyKey } from "../gpg-key/gpg-key.table.ts";
import { areSignatures } from "../gpg-key/gpg-key.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { type KeyGuard, keyGuardKey } from "../public-key/public-key.table.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import { isNoReplyOfOthers, noReplyEmail } from "../user/email.ts";
import { type EmailAddress, emailAddressKey, type User } from "../user/user.table.ts";

/**
 * A signed commit or tag: the result of `commitSignature` or `tagSignature`, and its committer's or tagger's address.
 */
export interface Signed {
  readonly signature: string;
  readonly payload: Buffer;
  readonly email: string;
}

/** The judgment of a signature. `reason` is a constant of the family's, or signer and key of a valid one. */
export interface Judgement {
  readonly isVerified: boolean;
  readonly reason: string;
  /** Present for a valid signature. Not everybody may know of them: `judgementFor`. */
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
 * stands for unsigned. A signature counts when its key is a user's, and the committer's address an activated one of
 * that user's. Two requests to the table, however many there are; none when nothing is signed.
 */
export async function judgeSignatures(
  forge: Forge,
  all: readonly (Signed | undefined)[],
): Promise<Judgement[]> {
  const read = all.map((signed) => (signed === undefined ? undefined : withSignature(signed)));
  const known = await readSigners(
    forge,
    read.filter((one) => one !== undefined),
  );
  const claims = read.map((one) => (one === undefined ? notSigned : claimOf(forge, one, known)));
  const claimed = claims.filter((one) => "judgement" in one);
  const verdicts = await areTrue(forge, claimed);
  const proven = new Set(claimed.filter((_one, at) => verdicts[at]));
  return claims.map((one) => {
    if (!("judgement" in one)) return one;
    return proven.has(one) ? one.judgement : badSignature;
  });
}

/** The judgment for a caller: a signer whom they may not know of looks like an unknown key (D-HIDDEN). */
export const judgementFor = (actor: Actor | undefined, judgement: Judgement): Judgement =>
  judgement.signer === undefined || maySeeUser(actor, judgement.signer) ? judgement : noKnownKey;

interface ReadSigned extends Signed {
  readonly read: Signature;
  /** The key of the guard that names the owner; absent when the signature names no key. */
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

/** The owner of a signature's key; a deploy key is nobody's. */
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

/** The guards of the signatures, then their users, their keys, and the addresses in question. */
async function readSigners({ table }: Forge, signed: readonly ReadSigned[]): Promise<Found> {
  const guards = await table.getAll(signed.flatMap(({ guardKey }) => guardKey ?? []));
  const keys = signed.flatMap(({ guardKey, email }) => {
    const holder = holderIn(guards, guardKey);
    if (holder === undefined) return [];
    const { userId, gpgKeyId } = holder;
    const own = gpgKeyId === undefined ? [] : [gpgKeyKey(userId, gpgKeyId)];
    return [ownerKey(userId), emailAddressKey(userId, email), ...own];
  });
  return new Map([...guards, ...(await table.getAll(keys))]);
}

/** A signature by a key that counts for its committer, and the judgment if it is valid. */
interface Claim {
  readonly signed: ReadSigned;
  /** Of an OpenPGP signature. */
  readonly key: GpgKey | undefined;
  readonly judgement: Judgement;
}

/** The claim of a signature, or why it counts for nothing whatever it is. */
function claimOf(forge: Forge, signed: ReadSigned, known: Found): Claim | Judgement {
  const { read, guardKey, email } = signed;
  if (read.kind === "unreadable") return unreadable;
  const holder = holderIn(known, guardKey);
  if (holder === undefined) return noKnownKey;
  const { userId, gpgKeyId } = holder;
  const signer = known.get(keyText(ownerKey(userId))) as User | undefined;
  const key =
    gpgKeyId === undefined
      ? undefined
      : (known.get(keyText(gpgKeyKey(userId, gpgKeyId))) as GpgKey | undefined);
  if (signer?.kind !== "user" || (gpgKeyId !== undefined && key === undefined)) return noKnownKey;
  const address = known.get(keyText(emailAddressKey(signer.id, email))) as EmailAddress | undefined;
  if (!speaksFor(forge, { signer, address, key, email })) return notTheSigners;
  const named = read.kind === "ssh" ? read.fingerprint : (guardKey?.pk.split("#")[1] ?? "");
  return { signed, key, judgement: { isVerified: true, reason: `${signer.name} / ${named}`, signer } };
}

/**
 * Whether the committer's address is the signer's; a GPG key whose owner never signed a token with it must name the
 * address itself.
 */
function speaksFor(
  { config }: Forge,
  given: { signer: User; address: EmailAddress | undefined; key: GpgKey | undefined; email: string },
): boolean {
  const { signer, address, key } = given;
  const email = given.email.toLowerCase();
  if (isNoReplyOfOthers(config, email, signer)) return false; // that of a former name
  const isOwn = address?.isVerified === true || email === noReplyEmail(config, signer);
  if (key === undefined || key.isVerified) return isOwn;
  return address?.isVerified === true && key.emails.some((one) => one.toLowerCase() === email);
}

/** Results for signatures: the same key, signature and bytes always give the same. */
const knownResults = new LRUCache<string, boolean>({ max: 10_000 });

/**
 * Whether each claim is true. One that can't be decided in time counts as false, and is checked again the next time.
 */
async function areTrue(forge: Forge, claims: readonly Claim[]): Promise<boolean[]> {
  const open = claims.filter((claim) => !knownResults.has(memoryOf(claim)));
  const now = forge.clock.now();
  await Promise.all([
    settle(
      open.filter(({ key }) => key !== undefined),
      (gpg) =>
        areSignatures(
          forge,
          gpg.map(({ signed: { signature, payload }, key }) => ({
            ...{ key: key?.bytes ?? new Uint8Array(), armored: signature, payload, now },
          })),
        ),
    ),
    settle(
      open.filter(({ key, signed }) => key === undefined && signed.read.kind === "ssh"),
      (ssh) =>
        forge.compute(verifySshTask, {
          signatures: ssh.map(({ signed: { signature, payload } }) => ({ armored: signature, payload })),
        }),
    ),
  ]);
  return claims.map((claim) => knownResults.get(memoryOf(claim)) === true);
}

/** Remembers the results of some claims; nothing when that takes too long. */
async function settle(
  claims: readonly Claim[],
  verify: (claims: readonly Claim[]) => Promise<boolean[]>,
): Promise<void> {
  if (claims.length === 0) return;
  const results = await verify(claims).catch((error: unknown) => {
    if (error instanceof TaskEnded) return [];
    throw error;
  });
  for (const [at, result] of results.entries()) knownResults.set(memoryOf(claims[at] as Claim), result);
}

function memoryOf({ signed, key }: Claim): string {
  const parts = createHash("sha256")
    .update(key?.bytes ?? "")
    .update("\0")
    .update(signed.signature);
  return parts.update("\0").update(signed.payload).digest("base64");
}
