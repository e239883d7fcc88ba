import { createHash, randomBytes } from "node:crypto";
import type { TOTP } from "otpauth";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, invalid, notFound, rateLimited } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { lazy } from "../lazy.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { absent, all, type Condition, equals, exists } from "../table/condition.ts";
import { put, remove, update, type Write } from "../table/write.ts";
import { type SecondFactor, secondFactorKey } from "./second-factor.table.ts";
import type { User } from "./user.table.ts";

const scratchCount = 10;
const periodSeconds = 30;
/** Clocks of devices may be off by one period. */
const window = 1;
const failureHourSeconds = 3600;

/** Needed by few requests: loaded with the first of them. */
const library = lazy(() => import("otpauth"));

/** The data for setting up a device; shown once. */
export interface Enrolment {
  readonly secret: string;
  /** For a QR code: `otpauth://totp/…`. */
  readonly url: string;
}

/** The second factor of a user, whether it is on already or not. */
export const findSecondFactor = (forge: Forge, userId: number): Promise<SecondFactor | undefined> =>
  forge.table.get<SecondFactor>(secondFactorKey(userId));

/**
 * Begins to set up a second factor; it counts once `turnOnSecondFactor` has seen a code. 409 while a factor is on.
 */
export async function enrollSecondFactor(forge: Forge, user: User): Promise<Enrolment> {
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
  const before = await findSecondFactor(forge, user.id);
  const when = before === undefined ? absent : all(asRead(before), equals({ isOn: false }));
  if (before?.isOn === true || !(await forge.table.write(put({ ...begun, v: (before?.v ?? 0) + 1 }, when)))) {
    throw conflict("the account has a second factor: remove it before you set up another");
  }
  return { secret, url: (await generator(secret, forge, user)).toString() };
}

/** Turns on the factor that was begun, when the code is right; answers the spare codes, shown only this once. */
export async function turnOnSecondFactor(forge: Forge, user: User, code: string): Promise<readonly string[]> {
  const begun = await findSecondFactor(forge, user.id);
  if (begun === undefined) throw notFound("no second factor was begun: ask for a secret first");
  if (begun.isOn) throw conflict("the second factor is on already");
  const step = await stepOf(forge, begun, code);
  if (step === undefined) throw invalid("Code", "is not the one that the device should show now");
  const codes = Array.from({ length: scratchCount }, () => randomBytes(8).toString("hex"));
  const scratchDigests = codes.map((one) => scratchDigest(user.id, one));
  const on: SecondFactor = { ...begun, isOn: true, scratchDigests, v: begun.v + 1 };
  await commit(forge, user, [put(on, asRead(begun))], true);
  return codes;
}

/** Removes a user's factor, on or only begun. NotFound without one. */
export async function removeSecondFactor(forge: Forge, user: User): Promise<void> {
  const found = await findSecondFactor(forge, user.id);
  if (found === undefined) throw notFound("the account has no second factor");
  const isSame = equals({ sealedSeed: found.sealedSeed });
  await commit(forge, user, [remove(secondFactorKey(user.id), isSame)], false);
}

/** The factor is as it was read. A new one restarts its versions, but has another sealed seed. */
const asRead = ({ v, sealedSeed }: SecondFactor): Condition => equals({ v, sealedSeed });

/**
 * The user's item says whether there is a factor to read: most logins read none. The attribute has no other writer, so
 * `v` stays: it may only move with the entry in the list index.
 */
async function commit(forge: Forge, user: User, writes: Write[], hasSecondFactor: boolean): Promise<void> {
  const mark = update(ownerKey(user.id), { set: { hasSecondFactor } }, exists);
  const { committed } = await forge.table.transact([...writes, mark]);
  if (!committed) throw conflict("the second factor is being changed by somebody else; try again");
}

/**
 * Whether `code` proves the second factor. A device's code counts for its first user until it expires, and for nobody
 * else (clients send one code with several requests); older ones never again. A spare code counts once.
 *
 * Wrong device codes are counted here, wherever they come from: each must win its write, so that a thousand at once are
 * no more tries than one after another. RateLimited for one that always lost, and after too many wrong codes within an
 * hour; but not for the user of the last right code, nor for spare codes, which can't be guessed: somebody with the
 * owner's password can't lock the owner out.
 */
export async function verifyCode(
  forge: Forge,
  userId: number,
  code: string,
  { caller, isUnused = false }: CodeUse,
): Promise<boolean> {
  const usedBy = digestOf(caller);
  for await (const _attempt of attempts(mostAttempts)) {
    const factor = await findSecondFactor(forge, userId);
    if (factor?.isOn !== true) return false;
    if (isOfDevice(code) && usedBy !== factor.usedBy) requireFewFailures(forge, factor);
    const used = await usedWith(forge, factor, code, usedBy);
    if (used === factor && !isUnused) return true;
    if (used === undefined && !isOfDevice(code)) return false;
    const isRight = used !== undefined && used !== factor;
    const set = { ...(isRight ? used : { failures: withFailure(forge, factor) }), v: factor.v + 1 };
    if (await forge.table.write(update(secondFactorKey(userId), { set }, asRead(factor)))) return isRight;
  }
  throw rateLimited("too many codes are sent for this account at once: try again in a second", 1);
}

/** Who sends a code. `isUnused`: even they may not have used it before, since they send each once. */
interface CodeUse {
  readonly caller: string;
  readonly isUnused?: boolean;
}

const mostAttempts = 5;
/** Whether a code looks like one of a device: six digits. */
export const isOfDevice = (code: string): boolean => /^\d{6}$/.test(code);

type Use = Partial<Pick<SecondFactor, "scratchDigests" | "usedStep" | "usedBy">>;

/** The change after the use of this code; the factor itself when nothing changes, undefined when the code is wrong. */
async function usedWith(
  forge: Forge,
  factor: SecondFactor,
  code: string,
  usedBy: string,
): Promise<Use | undefined> {
  const step = await stepOf(forge, factor, code);
  if (step === undefined) {
    const digest = scratchDigest(factor.userId, code);
    const left = factor.scratchDigests.filter((one) => one !== digest);
    return left.length < factor.scratchDigests.length ? { scratchDigests: left } : undefined;
  }
  if (step === factor.usedStep && factor.usedBy === usedBy) return factor;
  return step > factor.usedStep ? { usedStep: step, usedBy } : undefined;
}

/** The wrong codes of the present hour; an hour begins with its first. */
function failuresNow({ clock }: Forge, { failures }: SecondFactor): NonNullable<SecondFactor["failures"]> {
  const now = nowSeconds(clock);
  const isOver = failures === undefined || now >= failures.since + failureHourSeconds;
  return isOver ? { since: now, count: 0 } : failures;
}

function withFailure(forge: Forge, factor: SecondFactor): SecondFactor["failures"] {
  const { since, count } = failuresNow(forge, factor);
  return { since, count: count + 1 };
}

/** Twice as many as one address may get wrong on one account in five minutes. */
function requireFewFailures(forge: Forge, factor: SecondFactor): void {
  const { since, count } = failuresNow(forge, factor);
  if (count < 2 * forge.config.maxLoginFailures) return;
  const seconds = since + failureHourSeconds - nowSeconds(forge.clock);
  throw rateLimited(
    `too many wrong codes for this account: use a spare code or an access token, or try again in ${seconds} seconds`,
    seconds,
  );
}

/** The half minute of a device's code, or undefined when it is none of now. */
async function stepOf(forge: Forge, factor: SecondFactor, code: string): Promise<number | undefined> {
  if (!isOfDevice(code)) return undefined;
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
