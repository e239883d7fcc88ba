import { generateKeyPairSync, hash, sign } from "node:crypto";
import { sshKeyBytes } from "#core/git/format/ssh-key";
import { wireStrings } from "#core/git/format/ssh-wire";

/** An SSH key of a test: its line, and what it signs as `ssh-keygen -Y sign` does. */
export function makeSshSigner() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const blob = sshKeyBytes(publicKey) ?? Buffer.alloc(0);
  const signs = (data: Buffer, namespace = "git") => {
    const digest = hash("sha512", data, "buffer");
    const signed = Buffer.concat([Buffer.from("SSHSIG"), wireStrings(namespace, "", "sha512", digest)]);
    const signature = wireStrings("ssh-ed25519", sign(null, signed, privateKey));
    const version = Buffer.from([0, 0, 0, 1]);
    const parts = wireStrings(blob, namespace, "", "sha512", signature);
    const base64 = Buffer.concat([Buffer.from("SSHSIG"), version, parts]).toString("base64");
    return `-----BEGIN SSH SIGNATURE-----\n${base64}\n-----END SSH SIGNATURE-----\n`;
  };
  return { line: `ssh-ed25519 ${blob.toString("base64")} test`, signs };
}
