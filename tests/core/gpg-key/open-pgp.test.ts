import { armor, enums, readPrivateKey, revokeKey, type SecretKeyPacket, unarmor } from "openpgp";
import { describe, expect, it } from "vitest";
import { isGpgSignatureOf, type ReadGpgKey, readGpgKey } from "#core/gpg-key/internal/open-pgp";
import { gpgSign, makeGpgPair } from "#tests/support/git/gpg";
import { signedPayload } from "../../git/format/signature-samples.ts";
import { aliceSample, bobSample } from "./gpg-samples.ts";

const now = new Date("2030-01-02T03:04:05Z");
const keyOf = async (armored: string): Promise<ReadGpgKey> => {
  const read = await readGpgKey(armored);
  if ("problem" in read) throw new Error(read.problem);
  return read;
};
const problemOf = async (armored: string): Promise<string> => {
  const read = await readGpgKey(armored);
  return "problem" in read ? read.problem : "";
};

describe("readGpgKey", () => {
  it("reads a key of GnuPG's with its subkeys, what each may do, and its addresses", async () => {
    const key = await keyOf(aliceSample.armoredKey);
    expect(key).toMatchObject({
      keyId: "9489893E4C26622B",
      fingerprint: "CBC38D5D210D0C5D3D22E04F9489893E4C26622B",
      emails: ["alice@example.com", "second@example.com"],
      signingKeyIds: ["9489893E4C26622B", "65C263A923D9B0CF"],
      expiresAt: 0,
      ...{ canCertify: true, canSign: false, canEncryptComms: false, canEncryptStorage: false },
    });
    expect(key.subkeys).toMatchObject([
      { keyId: "65C263A923D9B0CF", expiresAt: 0, canSign: true, canEncryptComms: false },
      { keyId: "0344FBF0F9146945", canSign: false, canEncryptComms: true, canEncryptStorage: true },
    ]);
    expect(new Date((key.subkeys[1]?.expiresAt ?? 0) * 1000).getUTCFullYear()).toBe(2028);
    expect(await keyOf(bobSample.armoredKey)).toMatchObject({ canSign: true, subkeys: [] });
  });

  it("tells what is wrong with what is no public key", async () => {
    expect(await problemOf("garbage")).toContain("armored");
    const cut = aliceSample.armoredKey.split("\n").toSpliced(8, 9).join("\n");
    expect(await problemOf(cut)).not.toBe("");
    expect(await problemOf("x".repeat(200_000))).toContain("longer than");
    expect(await problemOf(`${aliceSample.armoredKey}\n${bobSample.armoredKey}`)).not.toBe("");
    const { privateKey } = await makeGpgPair({ name: "P", email: "p@example.com" });
    expect(await problemOf(privateKey.armor())).toContain("private key");
  });

  it("believes no address and no subkey that the key itself does not certify", async () => {
    const own = await makeGpgPair({ name: "Eve", email: "eve@example.com" });
    const bytesOf = async (armored: string) => (await unarmor(armored)).data as Uint8Array;
    const [eve, alice] = [await bytesOf(own.armored), await bytesOf(aliceSample.armoredKey)];
    // Packets of a key follow each other: all of Alice's except the key itself are put behind Eve's.
    const key = await keyOf(armor(enums.armor.publicKey, Buffer.concat([eve, alice.subarray(53)])));
    expect(key.emails).toEqual(["eve@example.com"]);
    const claimed = ["65C263A923D9B0CF", "0344FBF0F9146945"];
    const taken = [...key.signingKeyIds, ...key.subkeys.map(({ keyId }) => keyId)];
    expect(taken.filter((keyId) => claimed.includes(keyId))).toEqual([]);
  });
});

describe("isGpgSignatureOf", () => {
  it.each([
    ["a subkey", aliceSample, bobSample],
    ["the key itself", bobSample, aliceSample],
  ])("knows GnuPG's signature by %s, over these bytes and by this key alone", async (_by, sample, other) => {
    const { bytes } = await keyOf(sample.armoredKey);
    const { signature } = sample;
    expect(await isGpgSignatureOf(bytes, signature, signedPayload, now)).toBe(true);
    const changed = Buffer.concat([signedPayload, Buffer.from("\n")]);
    expect(await isGpgSignatureOf(bytes, signature, changed, now)).toBe(false);
    expect(await isGpgSignatureOf(bytes, other.signature, signedPayload, now)).toBe(false);
    expect(await isGpgSignatureOf(bytes, `${signature}\n`.replace(/\n.{10}/, "\n"), signedPayload, now)).toBe(
      false,
    );
    expect(await isGpgSignatureOf(bytes, "garbage", signedPayload, now)).toBe(false);
    expect(await isGpgSignatureOf(bytes, "x".repeat(100_000), signedPayload, now)).toBe(false);
  });

  it("counts what was signed before the key expired, and nothing signed after or in days to come", async () => {
    const pair = await makeGpgPair(
      { name: "Short", email: "short@example.com" },
      { date: new Date("2025-01-01"), keyExpirationTime: 86_400 },
    );
    const { bytes } = await keyOf(pair.armored);
    const signedAt = (date: string) => gpgSign(pair, signedPayload, new Date(date));
    const holds = async (signature: string) => isGpgSignatureOf(bytes, signature, signedPayload, now);
    expect(await holds(await signedAt("2025-01-01T12:00:00Z"))).toBe(true);
    const lasting = await makeGpgPair(
      { name: "L", email: "l@example.com" },
      { date: new Date("2025-01-01") },
    );
    const future = await gpgSign(lasting, signedPayload, new Date("2031-01-01"));
    expect(await isGpgSignatureOf((await keyOf(lasting.armored)).bytes, future, signedPayload, now)).toBe(
      false,
    );
  });

  it("is none by a key that is revoked, which is not taken either, nor by a subkey that is", async () => {
    const pair = await makeGpgPair({ name: "R", email: "r@example.com" });
    const signature = await gpgSign(pair, signedPayload);
    expect(await isGpgSignatureOf((await keyOf(pair.armored)).bytes, signature, signedPayload, now)).toBe(
      true,
    );
    const revoked = (await revokeKey({ key: pair.privateKey, format: "object" })).publicKey;
    expect(await problemOf(revoked.armor())).toBe("it is revoked");
    expect(await isGpgSignatureOf(revoked.write(), signature, signedPayload, now)).toBe(false);
    const key = await readPrivateKey({ armoredKey: pair.privateKey.armor() });
    const [subkey] = key.subkeys;
    if (subkey === undefined) throw new Error("no subkey");
    key.subkeys[0] = await subkey.revoke(key.keyPacket as SecretKeyPacket);
    const kept = await keyOf(key.toPublic().armor());
    expect(await isGpgSignatureOf(kept.bytes, signature, signedPayload, now)).toBe(false);
    expect(kept.signingKeyIds).not.toContain(subkey.getKeyID().toHex().toUpperCase());
  });
});
