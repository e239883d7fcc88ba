import type { Key, PublicKey, Subkey } from "openpgp";
import type { GpgKey, GpgKeyPart } from "../gpg-key.table.ts";

/** The library is large, and only signatures need it: the first key or signature loads it. */
const load = () => import("openpgp");
type OpenPgp = Awaited<ReturnType<typeof load>>;

/** The content of a key's text, as it is kept. */
export type ReadGpgKey = GpgKeyPart &
  Pick<GpgKey, "bytes" | "emails" | "subkeys" | "signingKeyIds"> & { readonly fingerprint: string };

/** Arithmetic takes time with the cube of the bits, and with those of the exponent: keys of real people have fewer. */
const mostBits = 8_192;
const mostExponentBits = 64;

const most = { characters: 150_000, bytes: 100_000, subkeys: 20, users: 50 };

/** Reads one armored public key and what it proves about itself; otherwise tells people what is wrong with it. */
export async function readGpgKey(armored: string): Promise<ReadGpgKey | { readonly problem: string }> {
  if (armored.length > most.characters)
    return { problem: `it is longer than ${most.characters} characters: export it with export-minimal` };
  if (/PRIVATE KEY/.test(armored))
    return { problem: "it is a private key: send the public one, and make a new one, as this one was shown" };
  const library = await load();
  const keys = await library.readKeys({ armoredKeys: armored.trim() }).catch(() => []);
  const [key] = keys;
  if (key === undefined) return { problem: "expected an armored OpenPGP public key" };
  const blocks = armored.split("-----BEGIN PGP PUBLIC KEY BLOCK-----").length - 1;
  if (keys.length > 1 || blocks > 1) return { problem: "expected one key, not several" };
  if (key.isPrivate()) return { problem: "it is a private key: send the public one" };
  if (hasHugeNumbers(key))
    return {
      problem: `it has numbers of more than ${mostBits} bits, or an exponent of more than ${mostExponentBits}`,
    };
  if (key.subkeys.length > most.subkeys) return { problem: `it has more than ${most.subkeys} subkeys` };
  if (key.users.length > most.users) return { problem: `it has more than ${most.users} user ids` };
  const bytes = key.write();
  if (bytes.length > most.bytes)
    return { problem: `it is larger than ${most.bytes} bytes: export it with export-minimal` };
  return takeApart(library, key, bytes);
}

/** Whether a key, or one of its subkeys, has numbers that take too long to compute with. */
function hasHugeNumbers(key: Key): boolean {
  return [key, ...key.subkeys].some(({ keyPacket }) =>
    Object.entries(keyPacket.publicParams ?? {}).some(
      ([name, value]) =>
        value instanceof Uint8Array && bitsOf(value) > (name === "e" ? mostExponentBits : mostBits),
    ),
  );
}

function bitsOf(number: Uint8Array): number {
  const start = number.findIndex((byte) => byte !== 0);
  return start < 0 ? 0 : (number.length - start) * 8 - Math.clz32(number[start] as number) + 24;
}

async function takeApart(
  library: OpenPgp,
  key: PublicKey,
  bytes: Uint8Array,
): Promise<ReadGpgKey | { readonly problem: string }> {
  const primary = await key.getPrimaryUser(anyTime).catch(() => undefined);
  if (primary === undefined) return { problem: "none of its user ids is certified by the key itself" };
  if (await key.isRevoked(undefined, undefined, anyTime)) return { problem: "it is revoked" };
  const subkeys: GpgKeyPart[] = [];
  const signingKeyIds = [upperId(key)];
  for (const subkey of key.subkeys) {
    const isBound = await subkey.verify(anyTime).then(
      () => true,
      () => false,
    );
    if (!isBound) continue;
    const flags = subkey.bindingSignatures[0]?.keyFlags?.[0] ?? 0;
    subkeys.push(await partOf(library, subkey, flags));
    // A signing subkey proves that it belongs to the key; anybody could claim other subkeys.
    const signer = await key.getSigningKey(subkey.getKeyID(), anyTime).catch(() => undefined);
    if (signer !== undefined) signingKeyIds.push(upperId(subkey));
  }
  const flags = primary.selfCertification.keyFlags?.[0] ?? 0;
  return {
    ...(await partOf(library, key, flags)),
    fingerprint: key.getFingerprint().toUpperCase(),
    bytes,
    emails: await certifiedEmails(key),
    subkeys,
    signingKeyIds: [...new Set(signingKeyIds)],
  };
}

/** Stands for "any time": an expired part still belongs to the key. */
const anyTime = null as unknown as Date;

const upperId = (key: PublicKey | Subkey): string => key.getKeyID().toHex().toUpperCase();

/** The facts about a key, from the flags that its own signature gives it (RFC 9580 §5.2.3.29). */
async function partOf(library: OpenPgp, key: PublicKey | Subkey, flags: number): Promise<GpgKeyPart> {
  const packets = new library.PacketList<PublicKey["keyPacket"] | Subkey["keyPacket"]>();
  packets.push(key.keyPacket);
  const expires = await key.getExpirationTime().catch(() => null);
  const { certifyKeys, signData, encryptCommunication, encryptStorage } = library.enums.keyFlags;
  const may = (flag: number) => (flags & flag) !== 0;
  return {
    keyId: upperId(key),
    packet: packets.write(),
    createdAt: Math.floor(key.getCreationTime().getTime() / 1000),
    expiresAt: expires instanceof Date ? Math.floor(expires.getTime() / 1000) : 0,
    canSign: may(signData),
    canEncryptComms: may(encryptCommunication),
    canEncryptStorage: may(encryptStorage),
    canCertify: may(certifyKeys),
  };
}

async function certifiedEmails(key: PublicKey): Promise<string[]> {
  const emails = new Set<string>();
  for (const user of key.users) {
    const email = user.userID?.email;
    if (!email) continue;
    const isOwn = await user.verify(anyTime).then(
      (isCertified) => isCertified === true,
      () => false,
    );
    if (isOwn) emails.add(email);
  }
  return [...emails];
}

const longestSignature = 65_536;

/** Whether an armored, detached signature is a valid one of a key (or a subkey of it) over some bytes. */
export async function isGpgSignatureOf(
  keyBytes: Uint8Array,
  armored: string,
  payload: Uint8Array,
  now: Date,
): Promise<boolean> {
  if (armored.length > longestSignature) return false;
  const library = await load();
  try {
    const [key, signature, message] = await Promise.all([
      library.readKey({ binaryKey: keyBytes }),
      library.readSignature({ armoredSignature: armored.trim() }),
      library.createMessage({ binary: payload }),
    ]);
    if (hasHugeNumbers(key)) return false;
    const { signatures } = await library.verify({
      message,
      signature,
      verificationKeys: key,
      date: now,
      // A key whose expiry was moved says nothing of the time before: its validity now is enough.
      config: { allowInsecureVerificationWithReformattedKeys: true },
    });
    const [only] = signatures;
    return signatures.length === 1 && (await only?.verified) === true;
  } catch {
    // A malformed, expired or revoked signature counts as none.
    return false;
  }
}
