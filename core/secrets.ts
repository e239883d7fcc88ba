import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

/**
 * Encryption of values that must be readable again (hook secrets, mirror passwords, TOTP seeds, action secrets). A
 * sealed value is `<key id>.<nonce>.<ciphertext and tag>` in base64url; the key id says which key opens it, so that
 * keys can be rotated: the first key seals, every key opens.
 */
export interface Secrets {
  /** Encrypts `plain`; opening needs the same `context` (such as the item's key). */
  seal(plain: string, context: string): string;
  /** Throws when the value was changed, belongs to another context, or its key is unknown. */
  open(sealed: string, context: string): string;
  /** A keyed hash for things that are compared, never read (remembered passwords, cursors). */
  digest(purpose: string, value: string): Buffer;
  /** The ids of all keys that open; the first one seals. */
  keyIds(): readonly string[];
}

/** The id of the key that a value was sealed under. */
export const keyIdOf = (sealed: string): string => sealed.split(".", 1)[0] ?? "";

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

interface SealingKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Why a text is no `SECRET_KEY`, without showing any of it; undefined when each of its keys is 32 bytes in base64. */
export function secretKeyProblem(secretKey: string): string | undefined {
  const isFine = secretKey.split(",").every((key) => /^[\w+/-]{43}=?$/.test(key.trim()));
  return isFine
    ? undefined
    : "expected 32 bytes in base64, as `openssl rand -base64 32` prints them (several: newest first, commas between)";
}

function sealingKey(text: string): SealingKey {
  const bytes = Buffer.from(text, "base64");
  return { id: createHash("sha256").update(bytes).digest("hex").slice(0, 8), bytes };
}

/**
 * Keys derived from those of `secretKey` for one purpose (HKDF, RFC 5869), in the same form and order. They don't
 * reveal the keys they come from.
 */
export const derivedKeys = (secretKey: string, purpose: string): string =>
  secretKey
    .split(",")
    .map((text) => hkdfSync("sha256", sealingKey(text.trim()).bytes, "", `coldforge ${purpose}`, keyBytes))
    .map((key) => Buffer.from(key).toString("base64"))
    .join(",");

/** The sealer of a key that is asked for on first use: a function that seals nothing needs none. */
export function secretsOf(secretKey: () => string): Secrets {
  let made: Secrets | undefined;
  const secrets = () => {
    made ??= createSecrets(secretKey());
    return made;
  };
  return {
    seal: (plain, context) => secrets().seal(plain, context),
    open: (sealed, context) => secrets().open(sealed, context),
    digest: (purpose, value) => secrets().digest(purpose, value),
    keyIds: () => secrets().keyIds(),
  };
}

/** Makes the sealer from `SECRET_KEY`: one key, or several separated by commas, newest first. */
export function createSecrets(secretKey: string): Secrets {
  const problem = secretKeyProblem(secretKey);
  if (problem !== undefined) throw new Error(`SECRET_KEY: ${problem}`);
  const keys = secretKey.split(",").map((text) => sealingKey(text.trim()));
  const [current] = keys;
  if (current === undefined) throw new Error("SECRET_KEY is empty");
  return {
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current.bytes, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${current.id}.${nonce.toString("base64url")}.${sealed.toString("base64url")}`;
    },
    open(sealed, context) {
      const [id, nonce, body] = sealed.split(".");
      const key = keys.find((one) => one.id === id);
      if (key === undefined || nonce === undefined || body === undefined) {
        throw new Error(`no key opens this value (key id ${id}): is SECRET_KEY complete?`);
      }
      const bytes = Buffer.from(body, "base64url");
      const decipher = createDecipheriv(algorithm, key.bytes, Buffer.from(nonce, "base64url"), {
        authTagLength: tagBytes, // else a shorter one would do, which is easier to guess
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(bytes.length - tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]).toString(
        "utf8",
      );
    },
    digest: (purpose, value) => createHmac("sha256", current.bytes).update(`${purpose}\0${value}`).digest(),
    keyIds: () => keys.map(({ id }) => id),
  };
}
