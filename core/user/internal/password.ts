import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { LRUCache } from "lru-cache";
import { FairQueue } from "../../concurrency/fair-queue.ts";
import type { Forge } from "../../forge.ts";

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
const hashBytes = 32;
const blockSize = 8;
const parallelism = 3;

/** Hashing takes a core for a tenth of a second: one caller never gets all of them. */
const cores = Math.max(2, availableParallelism());
const turns = new FairQueue({ atOnce: cores, atOnceEach: cores - 1, mostWaiting: 256, mostWaitingEach: 64 });

function hash(caller: string, password: string, salt: Buffer, costLog2: number): Promise<Buffer> {
  const cost = 2 ** costLog2;
  const maxmem = 256 * cost * blockSize;
  const options = { N: cost, r: blockSize, p: parallelism, maxmem };
  return turns.take(caller, () => derive(password.normalize("NFKC"), salt, hashBytes, options));
}

/** Hashes a new password with scrypt (r 8, p 3) and the cost in the settings. */
export async function hashPassword(forge: Forge, password: string): Promise<string> {
  const costLog2 = forge.config.passwordHashCost;
  const salt = randomBytes(16);
  const hashed = await hash(forge.caller, password, salt, costLog2);
  return `scrypt$${costLog2}$${salt.toString("base64url")}$${hashed.toString("base64url")}`;
}

const rememberMs = 60_000;

/** When passwords were verified, under a keyed hash: no plain password stays in memory. */
const verifiedAt = new LRUCache<string, number>({ max: 10_000 });

/** Stands for a password and the hash that it is compared with: keyed, so it reveals neither. */
export const passwordDigest = (forge: Forge, stored: string, password: string): string =>
  forge.secrets.digest("password", `${stored}\0${password}`).toString("base64");

/** Whether this password was verified against this hash within the last minute: then it is not computed again. */
export function isRemembered(forge: Forge, stored: string, password: string): boolean {
  const verified = verifiedAt.get(passwordDigest(forge, stored, password));
  return verified !== undefined && forge.clock.now() - verified < rememberMs;
}

/**
 * Whether the password matches the stored hash. `stored` is undefined for unknown users and empty for accounts without
 * a local password: the same work is done then, so that the time reveals nothing. RateLimited and Unavailable as in
 * `FairQueue`.
 */
export async function verifyPassword(
  forge: Forge,
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  const [scheme, cost, salt, expected] = (stored ?? "").split("$");
  if (scheme !== "scrypt" || cost === undefined || salt === undefined || expected === undefined) {
    await hash(forge.caller, password, Buffer.alloc(16), forge.config.passwordHashCost);
    return false;
  }
  if (isRemembered(forge, stored ?? "", password)) return true;
  const actual = await hash(forge.caller, password, Buffer.from(salt, "base64url"), Number(cost));
  const isMatch = timingSafeEqual(actual, Buffer.from(expected, "base64url"));
  if (isMatch) verifiedAt.set(passwordDigest(forge, stored ?? "", password), forge.clock.now());
  return isMatch;
}
