import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { padded } from "../ids.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { equals } from "../table/condition.ts";
import { type Item, type TableKey, update } from "../table/write.ts";
import type { User } from "../user/user.table.ts";

/** How many accounts were last active on a day. */
interface ActiveDay extends Item {
  readonly users?: number;
}

const daySeconds = 86_400;
/** Half a year: nothing shows older days. */
const mostDays = 180;
const activePartition = "ACTIVE";
const activeDayKey = (day: number): TableKey => ({ pk: activePartition, sk: padded(day) });

const dayOf = ({ clock }: Pick<Forge, "clock">): number => Math.floor(nowSeconds(clock) / daySeconds);

/**
 * Records that somebody used their account today: once a day for each, three small items that no request waits for
 * together. A process that is killed in between leaves the counts off by one.
 */
export async function noteUserActivity(forge: Forge, { id, activeDay }: User): Promise<void> {
  const { table } = forge;
  const today = dayOf(forge);
  if (activeDay !== undefined && activeDay >= today) return;
  const isFirst = await table.write(
    update(ownerKey(id), { set: { activeDay: today } }, equals({ kind: "user", activeDay })),
  );
  if (!isFirst) return;
  const count = (day: number, users: number) => {
    const ttl = (day + mostDays + 20) * daySeconds;
    return table.write(update(activeDayKey(day), { add: { users }, set: { ttl, _v: 1 } }));
  };
  const isCounted = activeDay !== undefined && activeDay > today - mostDays;
  await Promise.all([count(today, 1), ...(isCounted ? [count(activeDay, -1)] : [])]);
}

/** How many accounts were used within these numbers of days, today included; at most half a year. One query. */
export async function countActive(forge: Forge, ...spans: readonly number[]): Promise<number[]> {
  const today = dayOf(forge);
  const days = await forge.table.queryAll<ActiveDay>({
    pk: activePartition,
    after: padded(today - mostDays),
    limit: 2 * mostDays,
  });
  return spans.map((span) =>
    days
      .filter(({ sk }) => Number(sk) > today - span)
      .reduce((sum, { users = 0 }) => sum + Math.max(0, users), 0),
  );
}
