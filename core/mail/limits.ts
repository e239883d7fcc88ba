import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { absent, any, below } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { mailCountKey } from "./mail.table.ts";

const hourSeconds = 3_600;

/** Counts one more mail of this hour for a receiver; false when they have had as many as they may. */
export function countMail({ table, clock }: Forge, receiver: string, most: number): Promise<boolean> {
  const now = nowSeconds(clock);
  const key = mailCountKey(receiver, Math.floor(now / hourSeconds));
  const changes = { add: { n: 1 }, set: { ttl: now + 2 * hourSeconds, _v: 1 } };
  return table.write(update(key, changes, any(absent, below({ n: most }))));
}
