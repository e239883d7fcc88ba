import { LRUCache } from "lru-cache";
import { networkOf } from "../caller/client-network.ts";
import { nowSeconds } from "../clock.ts";
import type { Config } from "../config.ts";
import { rateLimited } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { update } from "../table/write.ts";
import { accountAttribute, type LoginFailures, loginFailuresKey } from "./login-failures.table.ts";

const windowSeconds = 300;
/**
 * The failures of an address over all accounts may be this many times those of one account: many people may share it.
 */
const accountsPerAddress = 10;

/**
 * This process's own knowledge, per forge: tries in progress, which count like failures until they are over; those
 * checks by credential; and failures by window, because a read sent before they were written does not show them.
 */
interface Tries {
  readonly pending: Map<string, number>;
  readonly checks: Map<string, Promise<boolean>>;
  readonly failed: LRUCache<string, number>;
}
const triesIn = lazyFor(
  (_config: Config): Tries => ({
    pending: new Map(),
    checks: new Map(),
    failed: new LRUCache({ max: 10_000 }),
  }),
);

/** One login attempt, and its caller. */
export interface LoginTry {
  readonly login: string;
  /** The address of the request; empty when unknown. */
  readonly address: string;
}

/**
 * The check of a password or code. `shown` stands for a credential that may be sent several times: requests with the
 * same one wait for the check in progress, and together are one try. Clients send many requests.
 */
export interface LoginCheck {
  readonly shown?: string;
  readonly run: () => Promise<boolean>;
}

/** The key under which the failures of these tries are counted now. */
export const failuresKey = ({ clock }: Forge, { address }: LoginTry) =>
  loginFailuresKey(networkOf(address), windowStart(nowSeconds(clock)));

/**
 * Runs the check of a password or code, unless too many from this address failed within five minutes: RateLimited then.
 * Failures count per account and address, so that tries from elsewhere lock nobody out; those of one address on all
 * accounts together have a bound of their own. A success writes nothing.
 */
export async function guardLogin(
  forge: Forge,
  who: LoginTry,
  failures: LoginFailures | undefined,
  { shown, run }: LoginCheck,
): Promise<boolean> {
  if (shown === undefined) return checked(forge, who, failures, run);
  const { checks } = triesIn(forge.config);
  const key = `${networkOf(who.address)} ${accountAttribute(who.login)} ${shown}`;
  const pending = checks.get(key) ?? checked(forge, who, failures, run).finally(() => checks.delete(key));
  checks.set(key, pending);
  return pending;
}

async function checked(
  forge: Forge,
  who: LoginTry,
  failures: LoginFailures | undefined,
  run: () => Promise<boolean>,
): Promise<boolean> {
  const account = accountAttribute(who.login);
  const network = networkOf(who.address);
  const most = forge.config.maxLoginFailures;
  const { pending, failed } = triesIn(forge.config);
  const window = windowStart(nowSeconds(forge.clock));
  const bounds = [
    { slot: `${window} ${network} ${account}`, written: Number(failures?.[account] ?? 0), limit: most },
    { slot: `${window} ${network}`, written: failures?.n ?? 0, limit: most * accountsPerAddress },
  ];
  const isOver = bounds.some(
    ({ slot, written, limit }) =>
      Math.max(written, failed.get(slot) ?? 0) + (pending.get(slot) ?? 0) >= limit,
  );
  if (isOver) throw tooMany(forge);
  for (const { slot } of bounds) pending.set(slot, (pending.get(slot) ?? 0) + 1);
  let isRight: boolean;
  try {
    isRight = await run();
  } finally {
    for (const { slot } of bounds) leave(pending, slot);
  }
  if (isRight) return true;
  // In the same step in which it stops being pending: it counts exactly once.
  for (const { slot } of bounds) failed.set(slot, (failed.get(slot) ?? 0) + 1);
  await note(forge, who, account);
  return false;
}

function leave(pending: Map<string, number>, slot: string): void {
  const left = (pending.get(slot) ?? 1) - 1;
  if (left > 0) pending.set(slot, left);
  else pending.delete(slot);
}

async function note(forge: Forge, who: LoginTry, account: string): Promise<void> {
  const ttl = windowStart(nowSeconds(forge.clock)) + 2 * windowSeconds;
  await forge.table.write(
    update(failuresKey(forge, who), { add: { n: 1, [account]: 1 }, set: { ttl, _v: 1 } }),
  );
}

function tooMany(forge: Forge): Error {
  const now = nowSeconds(forge.clock);
  const seconds = windowStart(now) + windowSeconds - now;
  return rateLimited(`too many failed logins from this address: try again in ${seconds} seconds`, seconds);
}

const windowStart = (now: number): number => now - (now % windowSeconds);
