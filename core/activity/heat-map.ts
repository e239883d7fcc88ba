import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import { countsOf, type HourCount, hoursSince, keptMs, type QuarterCount } from "./activity.table.ts";
import { mayKnowActivityOf, Readers } from "./readers.ts";

/** A quarter of an hour in which somebody did something. */
export interface HeatPoint {
  /** The beginning, in seconds. */
  readonly at: number;
  readonly n: number;
}

/** The most requests (of up to 1 MB) that one heat map takes; it lacks the oldest hours when they don't suffice. */
const mostPages = 8;

/**
 * How much a user did in each quarter of an hour of the last 371 days, ascending, or everybody in an organization's
 * repositories: only what the caller may know of now counts (semantics §67.3). Empty when the user hides their activity.
 */
export async function readHeatMap(
  forge: Forge,
  actor: Actor | undefined,
  owner: Owner,
): Promise<HeatPoint[]> {
  const isHidden = owner.kind === "user" && !mayKnowActivityOf(actor, owner);
  if (isHidden) return [];
  const fromMs = forge.clock.now() - keptMs;
  const readers = new Readers(forge, actor);
  const sums = new Map<number, number>();
  for await (const counts of newestCounts(forge, owner.id, fromMs)) {
    const recent = counts.filter(({ at }) => at >= fromMs);
    await readers.meet(recent);
    for (const { at, repositoryId, actorId, unit, n } of recent) {
      const access = readers.accessTo(repositoryId, unit);
      if (access === undefined || readers.doer(actorId) === undefined) continue;
      if (owner.kind === "organization" && access.owner.id !== owner.id) continue;
      sums.set(at, (sums.get(at) ?? 0) + n);
    }
  }
  return [...sums].map(([at, n]) => ({ at: at / 1000, n })).sort((one, other) => one.at - other.at);
}

/** What the hours of an owner count, the newest first. */
async function* newestCounts(
  { table }: Forge,
  ownerId: number,
  fromMs: number,
): AsyncGenerator<QuarterCount[]> {
  let after: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const run = { ...hoursSince(ownerId, fromMs), reverse: true, isConsistent: false };
    const { items, next } = await table.query<HourCount>(after === undefined ? run : { ...run, after });
    yield items.flatMap(countsOf);
    if (next === undefined) return;
    after = next;
  }
}
