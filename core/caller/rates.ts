import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import { rateLimited } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { networksOf } from "./client-network.ts";

/**
 * The kinds of requests; each has a rate of its own (D-RATE). `git` is a clone, fetch or push, `git-request` each
 * request of one, `password` a password that is checked.
 */
export type Cost = "light" | "heavy" | "git" | "git-request" | "password";

/** The account or the runner that a request counts against, or the network of an address. */
export type Counted =
  | { readonly userId: number }
  | { readonly runnerId: number }
  | { readonly address: string };

interface Kind {
  readonly perMinute: (config: Config) => number;
  /** The caller is told that there were too many of these. */
  readonly words: string;
}

const requestsPerFetch = 4;

const kinds: Readonly<Record<Cost, Kind>> = {
  light: { perMinute: ({ rateLight }) => rateLight, words: "requests" },
  heavy: { perMinute: ({ rateHeavy }) => rateHeavy, words: "requests that take much work, as this one," },
  git: { perMinute: ({ rateGit }) => rateGit, words: "clones, fetches and pushes" },
  "git-request": { perMinute: ({ rateGit }) => requestsPerFetch * rateGit, words: "requests of git" },
  password: { perMinute: ({ ratePasswords }) => ratePasswords, words: "passwords to check" },
};

const minuteMs = 60_000;
/** Sums of fractions are not exact. */
const roundingMs = 1;
/** A customer's whole site has this many times the rate of one of its 65,536 networks. */
const networksPerSite = 4;
/** Callers of each kind that are remembered: the latest. */
const mostCallers = 10_000;

/**
 * Buckets that hold what a caller may send in a minute and fill up evenly: the time at which each is full again. A
 * forgotten caller has a full one. To be forgotten, a network needs as many other networks that call meanwhile, and
 * somebody who has those doesn't need it; accounts lie apart from networks, so that none of these makes an account
 * forgotten.
 */
type FullAt = LRUCache<string, number>;

/** One process's counts, per forge: buckets by kind, and refusals that are not logged yet. */
const countsOf = lazyFor((_config: Config) => ({
  buckets: new Map<string, FullAt>(),
  untold: new Map<Cost, { refused: number; readonly since: number }>(),
}));

/** Counts a request. RateLimited, and not counted, when the caller has sent too many of its kind. */
export function countRequest(forge: Forge, who: Counted, cost: Cost): void {
  const waitSeconds = tryCount(forge, who, cost);
  if (waitSeconds === 0) return;
  const perMinute = kinds[cost].perMinute(forge.config);
  const [whose, advice] =
    "address" in who
      ? [
          "your network",
          cost === "password" ? ", or use an access token" : ", or log in to be counted by account",
        ]
      : ["userId" in who ? "your account" : "this runner", ""];
  const seconds = `${waitSeconds} second${waitSeconds === 1 ? "" : "s"}`;
  throw rateLimited(
    `too many ${kinds[cost].words} from ${whose}, which may send ${perMinute} a minute: try again in ${seconds}${advice}`,
    waitSeconds,
  );
}

/** Like `countRequest`, as a value: the seconds to wait, 0 for a request that was counted. */
export function tryCount(forge: Forge, who: Counted, cost: Cost): number {
  if (!forge.config.rateLimits) return 0;
  const now = forge.clock.now();
  const fullAt = bucketsOf(forge, who, cost);
  const asked = shares(who, kinds[cost].perMinute(forge.config)).map(({ caller, perMinute }) => {
    const known = fullAt.get(caller) ?? now;
    // Never further ahead than a minute: the machine's clock may be set back.
    const before = Math.min(Math.max(known, now), now + minuteMs);
    return { caller, known, before, after: before + minuteMs / perMinute };
  });
  const waitMs = Math.max(...asked.map(({ after }) => after - now - minuteMs));
  const isCounted = waitMs < roundingMs;
  for (const { caller, known, before, after } of asked) {
    if (isCounted || known > before) fullAt.set(caller, isCounted ? after : before);
  }
  if (isCounted) return 0;
  tellRefusals(forge, cost, asked[0]?.caller ?? "");
  return Math.ceil(waitMs / 1000);
}

const shares = (who: Counted, perMinute: number) =>
  !("address" in who)
    ? [{ caller: "userId" in who ? String(who.userId) : `runner ${who.runnerId}`, perMinute }]
    : networksOf(who.address).map((caller, at) => ({
        caller: caller ?? "",
        perMinute: at === 0 ? perMinute : networksPerSite * perMinute,
      }));

function bucketsOf({ config }: Forge, who: Counted, cost: Cost): FullAt {
  const { buckets } = countsOf(config);
  const name = `${cost} ${"address" in who ? "network" : "account"}`;
  const fullAt = buckets.get(name) ?? new LRUCache({ max: mostCallers });
  buckets.set(name, fullAt);
  return fullAt;
}

/** One line a minute for each kind, because refused callers may go on asking. */
function tellRefusals({ config, clock, log }: Forge, cost: Cost, caller: string): void {
  const { untold } = countsOf(config);
  const now = clock.now();
  const { refused, since } = untold.get(cost) ?? { refused: 0, since: 0 };
  if (Math.abs(now - since) < minuteMs) {
    untold.set(cost, { refused: refused + 1, since });
    return;
  }
  log.info("rates:refused", { kind: cost, caller, before: refused });
  untold.set(cost, { refused: 0, since: now });
}
