import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Secret } from "otpauth";

/** 256 random bits in base32 behind a prefix, as the family's secrets look. */
export const randomSecret = (prefix: "gto_" | "gta_"): string =>
  prefix + new Secret({ buffer: Uint8Array.from(randomBytes(32)).buffer }).base32.toLowerCase();

/** SHA-256 in hex: a secret of so many random bits needs no salt. */
export const secretHashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Whether a text is the secret of a hash; takes as long for every text. */
export const isSecretOf = (secret: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(secretHashOf(secret), "hex"), Buffer.from(hash, "hex"));
