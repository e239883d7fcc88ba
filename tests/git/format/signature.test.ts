import { generateKeyPairSync, hash, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readSignature } from "#core/git/format/signature";
import { isSshSignatureOf, parseSshSignature, type SshSignature } from "#core/git/format/ssh-signature";
import { wireStrings } from "#core/git/format/ssh-wire";
import { gpgSample, signedPayload, sshSamples } from "./signature-samples.ts";

describe.each(sshSamples)("SSH signature by $fingerprint", ({ publicKey, fingerprint, signature }) => {
  const read = readSignature(signature) as SshSignature;

  it("names its key, and is its key's over what was signed", () => {
    expect(`${read.keyType} ${read.publicKey.toString("base64")}`).toBe(publicKey);
    expect([read.kind, read.fingerprint, read.namespace]).toEqual(["ssh", fingerprint, "git"]);
    expect(isSshSignatureOf(read, signedPayload)).toBe(true);
  });

  it("is none over other bytes, for another purpose, by another key, or when cut or changed", () => {
    expect(isSshSignatureOf(read, Buffer.concat([signedPayload, Buffer.from("\n")]))).toBe(false);
    expect(isSshSignatureOf(read, signedPayload, "file")).toBe(false);
    for (const other of sshSamples) {
      if (other.fingerprint === fingerprint) continue;
      const { publicKey: key, keyType } = parseSshSignature(other.signature) as SshSignature;
      expect(isSshSignatureOf({ ...read, publicKey: key, keyType }, signedPayload)).toBe(false);
    }
    for (let at = 0; at < read.signature.length; at += 7) {
      const changed = Buffer.from(read.signature);
      changed[at] = (changed[at] as number) ^ 1;
      expect(isSshSignatureOf({ ...read, signature: changed }, signedPayload), `byte ${at}`).toBe(false);
      expect(isSshSignatureOf({ ...read, signature: read.signature.subarray(0, at) }, signedPayload)).toBe(
        false,
      );
    }
  });
});

describe("SSH signatures of security keys", () => {
  it("cover the application, the flags and the counter", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const raw = Buffer.from(publicKey.export({ format: "jwk" }).x as string, "base64url");
    const type = "sk-ssh-ed25519@openssh.com";
    const flags = Buffer.from([1, 0, 0, 0, 7]);
    const digest = hash("sha512", signedPayload, "buffer");
    const signed = Buffer.concat([Buffer.from("SSHSIG"), wireStrings("git", "", "sha512", digest)]);
    const [application, data] = [
      hash("sha256", Buffer.from("ssh:"), "buffer"),
      hash("sha256", signed, "buffer"),
    ];
    const made = sign(null, Buffer.concat([application, flags, data]), privateKey);
    const signature: SshSignature = {
      ...{ kind: "ssh", publicKey: wireStrings(type, raw, "ssh:"), keyType: type, fingerprint: "" },
      ...{ namespace: "git", hashAlgorithm: "sha512" },
      signature: Buffer.concat([wireStrings(type, made), flags]),
    };
    expect(isSshSignatureOf(signature, signedPayload)).toBe(true);
    const other = { ...signature, publicKey: wireStrings(type, raw, "other:") };
    expect(isSshSignatureOf(other, signedPayload)).toBe(false);
  });
});

describe("readSignature", () => {
  it("tells the key that a GPG signature names", () => {
    const read = readSignature(gpgSample.signature);
    expect(read).toMatchObject({
      ...{ kind: "gpg", fingerprint: gpgSample.fingerprint, keyId: gpgSample.fingerprint.slice(-16) },
      createdSeconds: expect.any(Number),
    });
  });

  it.each([
    "",
    "nonsense",
    "-----BEGIN PGP SIGNATURE-----\n\n!!!!\n-----END PGP SIGNATURE-----",
    "-----BEGIN PGP SIGNATURE-----\n\nwsBcBAAB\n=abcd\n-----END PGP SIGNATURE-----",
    "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAAP8=\n-----END SSH SIGNATURE-----",
    "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----",
  ])("is unreadable: %j", (text) => expect(readSignature(text)).toEqual({ kind: "unreadable" }));

  it("survives every cut and every changed byte of a GPG signature", () => {
    const lines = gpgSample.signature.split("\n");
    const inside = Buffer.from(
      lines
        .slice(2, -2)
        .filter((line) => !line.startsWith("="))
        .join(""),
      "base64",
    );
    const armored = (bytes: Buffer) =>
      `-----BEGIN PGP SIGNATURE-----\n\n${bytes.toString("base64")}\n-----END PGP SIGNATURE-----`;
    for (let at = 0; at < inside.length; at++) {
      const changed = Buffer.from(inside);
      changed[at] = 255 - (changed[at] as number);
      for (const bytes of [inside.subarray(0, at), changed]) {
        expect(["gpg", "unreadable"]).toContain(readSignature(armored(bytes)).kind);
      }
    }
  });

  it("knows a signature of X.509", () => {
    expect(readSignature("-----BEGIN SIGNED MESSAGE-----\nabc\n").kind).toBe("x509");
  });
});
