import type { Clock } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { absent, all, any, below, equals } from "../table/condition.ts";
import { type Item, put, type TableKey, update } from "../table/write.ts";

/**
 * What a consumer may do with an event that it was handed. `claimed`: work, then `finishClaim`. `working`: another
 * consumer has it until then (milliseconds), so the message goes back. `done`: drop the message.
 */
export type ClaimOutcome =
  | { readonly outcome: "claimed"; readonly holder: string }
  | { readonly outcome: "working"; readonly until: number }
  | { readonly outcome: "done" };

interface ClaimItem extends Item {
  readonly state: "working" | "done";
  readonly holder: string;
  /** Milliseconds: until when the holder has it for itself. */
  readonly until: number;
  /** Seconds: from then on the item counts as absent. */
  readonly ttl: number;
  readonly _v: 1;
}

const keptSeconds = 2 * 24 * 3600;
const key = (consumer: string, eventId: string): TableKey => ({
  pk: `CLAIM#${consumer}#${eventId}`,
  sk: "#",
});
const ttlFrom = (clock: Clock) => Math.floor(clock.now() / 1000) + keptSeconds;

/**
 * Claims an event for a consumer for `leaseSeconds`. It succeeds when nobody has claimed the event, when a lease ended
 * without `finishClaim`, or when the claim is older than two days.
 */
export async function claimEvent(
  forge: Forge,
  consumer: string,
  eventId: string,
  leaseSeconds: number,
): Promise<ClaimOutcome> {
  const { clock, table } = forge;
  const now = clock.now();
  const holder = randomId();
  const item: ClaimItem = {
    ...key(consumer, eventId),
    state: "working",
    holder,
    until: now + leaseSeconds * 1000,
    ttl: ttlFrom(clock),
    _v: 1,
  };
  const isLeaseOver = all(equals({ state: "working" }), below({ until: now + 1 }));
  const isExpired = below({ ttl: Math.floor(now / 1000) });
  if (await table.write(put(item, any(absent, isExpired, isLeaseOver))))
    return { outcome: "claimed", holder };
  const found = await table.get<ClaimItem>(key(consumer, eventId));
  // After a lost answer the store tries again, and the second try meets our own claim.
  if (found?.holder === holder && found.state === "working") return { outcome: "claimed", holder };
  return found?.state === "done" ? { outcome: "done" } : { outcome: "working", until: found?.until ?? now };
}

/** Extends the claim to `leaseSeconds` from now; false when the event is done, or another holder has it. */
export function extendClaim(
  forge: Forge,
  consumer: string,
  eventId: string,
  holder: string,
  leaseSeconds: number,
): Promise<boolean> {
  const changes = { set: { until: forge.clock.now() + leaseSeconds * 1000 } };
  return forge.table.write(update(key(consumer, eventId), changes, equals({ holder, state: "working" })));
}

/** Marks an event as done, after the effect; false when another holder has the lease. May be repeated. */
export function finishClaim(
  forge: Forge,
  consumer: string,
  eventId: string,
  holder: string,
): Promise<boolean> {
  const changes = { set: { state: "done", ttl: ttlFrom(forge.clock) } };
  return forge.table.write(update(key(consumer, eventId), changes, equals({ holder })));
}

/** Gives an unfinished event back, so that the next delivery need not wait for the lease to end. */
export async function releaseClaim(
  forge: Forge,
  consumer: string,
  eventId: string,
  holder: string,
): Promise<void> {
  const changes = { set: { until: 0 } };
  await forge.table.write(update(key(consumer, eventId), changes, equals({ holder, state: "working" })));
}
