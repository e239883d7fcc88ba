import { describe, expect, it } from "vitest";
import { wireStrings } from "#core/git/format/ssh-wire";
import { type KeyText, readKeyText } from "#core/public-key/key-text";
import { createRandom } from "#tests/support/random";
import { keySamples, otherForms, shortKey } from "./key-samples.ts";

const problemOf = (text: string): string => {
  const read = readKeyText(text);
  return "problem" in read ? read.problem : "";
};
const [ed25519, rsa, ecdsa] = keySamples;

describe("readKeyText", () => {
  it.each(keySamples)("reads $fingerprint as ssh-keygen names it", ({ line, fingerprint }) => {
    const [type, base64] = line.split(" ");
    expect(readKeyText(`  ${line}\t jo@example  a laptop\n`)).toEqual({
      ...{ type, base64, fingerprint },
      comment: "jo@example a laptop",
    });
    expect(readKeyText(line)).toMatchObject({ fingerprint, comment: "" });
    expect(readKeyText(base64 ?? "")).toMatchObject({ type, fingerprint });
  });

  it.each([
    ["RFC 4716", otherForms.rfc4716, ed25519, "256-bit ED25519, of jo"],
    ["PEM of any kind of key", otherForms.pkcs8, ecdsa, ""],
    ["PEM of RSA keys", otherForms.pkcs1, rsa, ""],
  ])("reads the form of %s", (_form, text, { line, fingerprint }, comment) => {
    const [type, base64] = line.split(" ");
    expect(readKeyText(text)).toEqual({ type, base64, fingerprint, comment });
  });

  it("keeps of a comment what people can read in one line", () => {
    const { comment } = readKeyText(`${ed25519.line} \u001b[31m${"x".repeat(300)}`) as KeyText;
    expect(comment).toBe(`[31m${"x".repeat(251)}`);
  });

  it("tells what is wrong with what is no key", () => {
    expect(problemOf("garbage")).toContain("expected a type");
    expect(problemOf("")).toContain("expected a type");
    expect(problemOf("ssh-ed25519 not!base64")).toContain("base64");
    expect(problemOf(`${ed25519.line}\n${ecdsa.line}`)).toContain("one line");
    expect(problemOf(`no-pty ${ed25519.line}`)).not.toBe("");
    expect(problemOf(ed25519.line.replace("ssh-ed25519", "ssh-rsa"))).toContain("not of the type ssh-rsa");
    expect(problemOf(shortKey)).toContain("this one has 1024");
    expect(
      problemOf("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----"),
    ).toContain("private key");
    expect(problemOf("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----")).toContain("PEM");
    expect(problemOf("---- BEGIN SSH2 PUBLIC KEY ----\nComment: none")).toContain("SSH2");
    expect(problemOf("x".repeat(20_000))).toContain("longer than");
    const dsa = wireStrings("ssh-dss", Buffer.alloc(128, 1)).toString("base64");
    expect(problemOf(`ssh-dss ${dsa}`)).toContain("ssh-dss are not taken");
    const certificate = "ssh-ed25519-cert-v01@openssh.com";
    expect(
      problemOf(`${certificate} ${wireStrings(certificate, Buffer.alloc(32)).toString("base64")}`),
    ).toContain("are not taken");
  });

  it("takes no second form of a key, which would have another fingerprint", () => {
    const point = Buffer.from(ed25519.line.split(" ")[1] ?? "", "base64").subarray(-32);
    const again = (...values: (string | Buffer)[]) =>
      problemOf(`ssh-ed25519 ${wireStrings("ssh-ed25519", ...values).toString("base64")}`);
    expect(again(point)).toBe("");
    expect(again(point, "")).not.toBe("");
    const bytes = Buffer.from(rsa.line.split(" ")[1] ?? "", "base64");
    const modulus = bytes.subarray(-257);
    const exponents = [Buffer.from([1, 0, 1]), Buffer.from([0, 1, 0, 1])];
    const [canonical, padded] = exponents.map((e) =>
      problemOf(`ssh-rsa ${wireStrings("ssh-rsa", e, modulus).toString("base64")}`),
    );
    expect(canonical).toBe("");
    expect(padded).not.toBe("");
  });

  it("takes no point that is not on its curve", () => {
    const bytes = Buffer.from(ecdsa.line.split(" ")[1] ?? "", "base64");
    bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
    expect(problemOf(`ecdsa-sha2-nistp256 ${bytes.toString("base64")}`)).not.toBe("");
  });

  const random = createRandom();
  it(`never throws, whatever the bytes (SEED=${random.seed})`, () => {
    for (let round = 0; round < 3_000; round += 1) {
      const { line } = random.pick(keySamples);
      const bytes = Buffer.from(line.split(" ")[1] ?? "", "base64");
      for (let change = random.integer(4); change >= 0; change -= 1) {
        bytes[random.integer(bytes.length)] = random.integer(256);
      }
      const read = readKeyText(bytes.subarray(0, bytes.length - random.integer(3)).toString("base64"));
      expect("problem" in read || read.fingerprint.startsWith("SHA256:")).toBe(true);
    }
  });
});
