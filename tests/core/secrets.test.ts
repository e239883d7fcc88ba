import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSecrets, derivedKeys, keyIdOf } from "#core/secrets";

const anyKey = () => randomBytes(32).toString("base64");

describe("secrets", () => {
  const old = anyKey();
  const secrets = createSecrets(old);

  it("open gives back what seal was given, for the same context", () => {
    for (const plain of ["", "pass:wörd", "x".repeat(100_000)]) {
      expect(secrets.open(secrets.seal(plain, "R#1#HOOK#2"), "R#1#HOOK#2")).toBe(plain);
    }
  });

  it("a sealed value shows nothing of the plain one, and is another each time", () => {
    const sealed = secrets.seal("hunter2hunter2", "c");
    expect(sealed).not.toContain("hunter2");
    expect(sealed).not.toContain(Buffer.from("hunter2hunter2").toString("base64url"));
    expect(secrets.seal("hunter2hunter2", "c")).not.toBe(sealed);
  });

  it("open refuses another context, and a value of which any character was changed", () => {
    const sealed = secrets.seal("secret", "R#1");
    expect(() => secrets.open(sealed, "R#2")).toThrow();
    for (let at = 0; at < sealed.length; at += 1) {
      if (sealed[at] === ".") continue;
      const isLastOfPart = at === sealed.length - 1 || sealed[at + 1] === ".";
      if (isLastOfPart) continue; // the last character of base64 may hold unused bits
      const other = sealed[at] === "A" ? "B" : "A";
      expect(
        () => secrets.open(sealed.slice(0, at) + other + sealed.slice(at + 1), "R#1"),
        `${at}`,
      ).toThrow();
    }
  });

  it("open refuses a tag that was cut short, which is easier to guess", () => {
    const [id, nonce, tag = ""] = secrets.seal("", "c").split(".");
    for (const bytes of [4, 8, 12, 15]) {
      const cut = Buffer.from(tag, "base64url").subarray(0, bytes).toString("base64url");
      expect(() => secrets.open(`${id}.${nonce}.${cut}`, "c")).toThrow();
    }
  });

  it("after rotation the newest key seals and every key opens; without the old one its values stay shut", () => {
    const fresh = anyKey();
    const rotated = createSecrets(`${fresh}, ${old}`);
    const before = secrets.seal("before", "c");
    const after = rotated.seal("after", "c");
    expect([rotated.open(before, "c"), rotated.open(after, "c")]).toEqual(["before", "after"]);
    expect(createSecrets(fresh).open(after, "c")).toBe("after");
    expect(() => createSecrets(fresh).open(before, "c")).toThrow("SECRET_KEY");
  });

  it("refuses what is no sealed value, and a key that is not 32 bytes in base64", () => {
    for (const sealed of ["", "plain", "a.b", "a.b.c"]) expect(() => secrets.open(sealed, "c")).toThrow();
    for (const key of ["", "short", anyKey().slice(4)]) expect(() => createSecrets(key)).toThrow("32 bytes");
  });

  it("derived keys are those of HKDF (RFC 5869), one for each key, and open nothing that the others sealed", () => {
    const fresh = anyKey();
    const hmac = (key: Buffer, text: Buffer | string) => createHmac("sha256", key).update(text).digest();
    const expected = [fresh, old].map((key) => {
      const extracted = hmac(Buffer.alloc(32), Buffer.from(key, "base64"));
      return hmac(extracted, "coldforge letters\x01").toString("base64");
    });
    const derived = derivedKeys(`${fresh}, ${old}`, "letters");
    expect(derived).toBe(expected.join(","));
    expect(derivedKeys(old, "others")).not.toBe(derivedKeys(old, "letters"));
    expect(() => createSecrets(derived).open(secrets.seal("plain", "c"), "c")).toThrow("SECRET_KEY");
    expect(() => secrets.open(createSecrets(derived).seal("plain", "c"), "c")).toThrow("SECRET_KEY");
  });

  it("tells which key sealed a value", () => {
    const fresh = anyKey();
    const rotated = createSecrets(`${fresh},${old}`);
    expect(rotated.keyIds()).toEqual([...createSecrets(fresh).keyIds(), ...secrets.keyIds()]);
    expect(keyIdOf(rotated.seal("plain", "c"))).toBe(rotated.keyIds()[0]);
    expect(keyIdOf(secrets.seal("plain", "c"))).toBe(rotated.keyIds()[1]);
  });

  it("digest is the same for the same purpose and value, and another otherwise", () => {
    expect(secrets.digest("a", "b")).toEqual(secrets.digest("a", "b"));
    expect(secrets.digest("a", "b")).not.toEqual(secrets.digest("b", "a"));
    expect(secrets.digest("a", "b")).not.toEqual(createSecrets(anyKey()).digest("a", "b"));
  });
});
