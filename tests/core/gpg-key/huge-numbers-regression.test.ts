import { readKey } from "openpgp";
import { describe, expect, it } from "vitest";
import { isGpgSignatureOf, readGpgKey } from "#core/gpg-key/internal/open-pgp";
import { hugeKey, hugeSignature } from "#tests/support/hostile/huge-key";

describe("an OpenPGP key with numbers that take long to reckon with", () => {
  it.each([
    ["a modulus of more than 8,192 bits", { modulusBits: 8_200, exponentBits: 24 }],
    ["an exponent of more than 64 bits", { modulusBits: 2_048, exponentBits: 72 }],
  ])("is refused for %s before any arithmetic", async (_, numbers) => {
    expect(await readGpgKey(hugeKey(numbers))).toEqual({
      problem: "it has numbers of more than 8192 bits, or an exponent of more than 64",
    });
  });

  it("is read where they are as large as they may be, and found to certify nothing", async () => {
    expect(await readGpgKey(hugeKey({ modulusBits: 8_192, exponentBits: 64 }))).toEqual({
      problem: "none of its user ids is certified by the key itself",
    });
  });

  it("signs nothing where it was stored before: no second of reckoning", async () => {
    const key = await readKey({ armoredKey: hugeKey({ modulusBits: 9_944, exponentBits: 9_944 }) });
    const payload = Buffer.from("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n");
    const signature = hugeSignature(key.getKeyID().toHex(), 9_944, payload);
    const before = process.cpuUsage();
    expect(await isGpgSignatureOf(key.write(), signature, payload, new Date())).toBe(false);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(500);
  });
});
