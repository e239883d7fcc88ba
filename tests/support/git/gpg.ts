import {
  createMessage,
  enums,
  generateKey,
  type PrivateKey,
  readPrivateKey,
  sign,
  type UserID,
} from "openpgp";

/** A key pair of a test: what its owner uploads, and what they sign with. */
export interface GpgPair {
  readonly armored: string;
  readonly privateKey: PrivateKey;
}

/** Makes a key pair that signs with a subkey; dates are the system's, long before the tests' clock. */
export async function makeGpgPair(
  userIDs: UserID | UserID[],
  options: { date?: Date; keyExpirationTime?: number } = {},
): Promise<GpgPair> {
  const { publicKey, privateKey } = await generateKey({
    type: "ecc",
    userIDs,
    subkeys: [{ sign: true }, {}],
    ...options,
  });
  return { armored: publicKey, privateKey: await readPrivateKey({ armoredKey: privateKey }) };
}

/** A detached, armored signature over some bytes. */
export async function gpgSign(
  { privateKey }: Pick<GpgPair, "privateKey">,
  payload: Uint8Array | string,
  date = new Date(),
): Promise<string> {
  const message = await createMessage({ binary: Buffer.from(payload) });
  const config = { preferredHashAlgorithm: enums.hash.sha512 };
  return sign({ message, signingKeys: privateKey, detached: true, date, config });
}
