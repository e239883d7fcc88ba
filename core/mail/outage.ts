import type { Forge } from "../forge.ts";
import { put, remove } from "../table/write.ts";
import { type Outage, outageKey } from "./mail.table.ts";

const firstPauseMs = 30_000;
const longestPauseMs = 15 * 60_000;
/** An outage that lasts longer is an operator's business. */
const quietMs = 3_600_000;
const keptSeconds = 2 * 86_400;

/** The outage that is on, or that nobody has seen the end of; undefined when the server took the last mail. */
export const findOutage = ({ table }: Forge): Promise<Outage | undefined> => table.get<Outage>(outageKey);

/**
 * Notes that the server took no mail, and answers for how many milliseconds nobody should ask it again: longer each
 * time, up to a quarter of an hour. After an hour each failure is an error, which rings the alarm.
 */
export async function noteOutage(forge: Forge, problem: string): Promise<number> {
  const { table, clock, log } = forge;
  const known = await findOutage(forge);
  const now = clock.now();
  const failures = (known?.failures ?? 0) + 1;
  const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 10), longestPauseMs);
  const since = known?.since ?? now;
  const times = { since, until: now + pauseMs, failures, ttl: Math.floor(now / 1000) + keptSeconds };
  await table.write(put({ ...outageKey, ...times, _v: 1 }));
  const level = now - since > quietMs ? "error" : "warn";
  log[level]("mail:server-away", { problem, failures, since: new Date(since).toISOString(), pauseMs });
  return pauseMs;
}

/** The server is there again. */
export async function endOutage({ table, log }: Forge, { failures }: Outage): Promise<void> {
  await table.write(remove(outageKey));
  log.info("mail:server-back", { failures });
}
