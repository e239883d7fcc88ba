import { createHash, randomBytes } from "node:crypto";
import type { TOTP } from "otpauth";
import { nowSeconds } from "../clock.ts";
import { conflict, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { lazy } from "../lazy.ts";
import { absent, equals, exists, put, remove as removal, update, type Write } from "../table.ts";
import { type SecondFactor, secondFactorKey } from "./second-factor.table.ts";
import { type User, userKey } from "./user.table.ts";

const scratchCount = 10;
const periodSeconds = 30;
/** Clocks of devices may be off by one period. */
const window = 1;

/** Needed by few requests: loaded with the first of them. */
const library = lazy(() => import("otpauth"));

/** What a device is set up with; shown once. */
export interface Enrolment {
  readonly secret: string;
  /** For a QR code: `otpauth://totp/…`. */
  readonly url: string;
}

/** The second factor of a user, whether it is on already or not. */
export const find = (forge: Forge, userId: number): Promise<SecondFactor | undefined> =>
  forge.table.get<SecondFactor>(secondFactorKey(userId));

/**
 * Begins to set up a second factor; it counts once `turnOn` has seen a code. 409 while a factor is on.
 */
export async function enrol(forge: Forge, user: User): Promise<Enrolment> {
  const { Secret } = await library();
  const secret = new Secret({ buffer: Uint8Array.from(randomBytes(20)).buffer }).base32;
  const key = secondFactorKey(user.id);
  const begun: SecondFactor = {
    ...key,
    userId: user.id,
    sealedSeed: forge.secrets.seal(secret, contextOf(user.id)),
    isOn: false,
    scratchDigests: [],
    usedStep: 0,
    usedBy: "",
    createdAt: nowSeconds(forge.clock),
    v: 1,
    _v: 1,
  };
  const before = await find(forge, user.id);
  const when = before === undefined ? absent : equals({ v: before.v, isOn: false });
  if (before?.isOn === true || !(await forge.table.write(put({ ...begun, v: (before?.v ?? 0) + 1 }, when)))) {
    throw conflict("the account has a second factor: remove it before you set up another");
  }
  return { secret, url: (await generator(secret, forge, user)).toString() };
}

/** Turns the factor on that was begun, when the code is right; answers the spare codes, shown this once. */
export async function turnOn(forge: Forge, user: User, code: string): Promise<readonly string[]> {
  const begun = await find(forge, user.id);
  if (begun === undefined) throw notFound("no second factor was begun: ask for a secret first");
  if (begun.isOn) throw conflict("the second factor is on already");
  const step = await stepOf(forge, begun, code);
  if (step === undefined) throw invalid("Code", "is not the one that the device should show now");
  const codes = Array.from({ length: scratchCount }, () => randomBytes(8).toString("hex"));
  const scratchDigests = codes.map((one) => scratchDigest(user.id, one));
  const on: SecondFactor = { ...begun, isOn: true, scratchDigests, v: begun.v + 1 };
  await commit(forge, user, [put(on, equals({ v: begun.v }))], true);
  return codes;
}

/** Removes a user's factor, on or only begun. NotFound without one. */
export async function remove(forge: Forge, user: User): Promise<void> {
  if ((await find(forge, user.id)) === undefined) throw notFound("the account has no second factor");
  await commit(forge, user, [removal(secondFactorKey(user.id), exists)], false);
}

/** The user says himself whether a factor must be looked for: most logins read none. */
async function commit(forge: Forge, user: User, writes: Write[], hasSecondFactor: boolean): Promise<void> {
  const mark = update(userKey(user.id), { set: { hasSecondFactor }, add: { v: 1 } }, exists);
  const { committed } = await forge.table.transact([...writes, mark]);
  if (!committed) throw conflict("the second factor is being changed by somebody else; try again");
}

/**
 * Whether `code` proves the second factor. A device's code counts for whoever used it first until it is over, and for
 * nobody else (clients send one code with several requests); older ones never again. A spare code counts once.
 */
export async function verifyCode(
  forge: Forge,
  userId: number,
  code: string,
  caller: string,
): Promise<boolean> {
  const usedBy = digestOf(caller);
  for (let tries = 0; tries < 3; tries += 1) {
    const factor = await find(forge, userId);
    if (factor?.isOn !== true) return false;
    const used = await usedWith(forge, factor, code, usedBy);
    if (used === undefined) return false;
    if (used === factor) return true;
    if (await forge.table.write(put({ ...used, v: factor.v + 1 }, equals({ v: factor.v })))) return true;
  }
  return false;
}

/** The factor after this code was used; itself when nothing changes, undefined when the code does not hold. */
async function usedWith(
  forge: Forge,
  factor: SecondFactor,
  code: string,
  usedBy: string,
): Promise<SecondFactor | undefined> {
  const step = await stepOf(forge, factor, code);
  if (step === undefined) {
    const digest = scratchDigest(factor.userId, code);
    const left = factor.scratchDigests.filter((one) => one !== digest);
    return left.length < factor.scratchDigests.length ? { ...factor, scratchDigests: left } : undefined;
  }
  if (step === factor.usedStep && factor.usedBy === usedBy) return factor;
  return step > factor.usedStep ? { ...factor, usedStep: step, usedBy } : undefined;
}

/** The half minute that a device's code belongs to, or undefined when it is none of now. */
async function stepOf(forge: Forge, factor: SecondFactor, code: string): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined;
  const secret = forge.secrets.open(factor.sealedSeed, contextOf(factor.userId));
  const timestamp = forge.clock.now();
  const delta = (await generator(secret, forge)).validate({ token: code, timestamp, window });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / periodSeconds) + delta;
}

async function generator(secret: string, { config }: Forge, user?: User): Promise<TOTP> {
  const { TOTP: Generator, Secret } = await library();
  return new Generator({
    issuer: `Coldforge ${new URL(config.rootUrl).host}`,
    label: user?.name ?? "",
    secret: Secret.fromBase32(secret),
    period: periodSeconds,
  });
}

const contextOf = (userId: number): string => `TOTP#${userId}`;

/** Of 64 random bits: they need no salt, and no key that may be changed. */
const scratchDigest = (userId: number, code: string): string =>
  digestOf(`scratch code ${userId} ${code.trim().toLowerCase()}`);

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url");
