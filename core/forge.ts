import { openObjectClient, openQueueClient, openTableClient } from "./aws/clients.ts";
import { type Blobs, createBlobs } from "./blobs.ts";
import { serviceCaller } from "./caller/caller.ts";
import type { FairShare } from "./capacity/fair-share.ts";
import type { Holding } from "./capacity/intake.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type CallersCompute, computeFor } from "./compute/compute.ts";
import { type Awaited, alwaysAwaited, tellingOfWrites } from "./concurrency/awaited.ts";
import { type Config, required } from "./config.ts";
import { lazy } from "./lazy.ts";
import { type Log, type LogFields, standardErrorLog, withFields } from "./log.ts";
import type { Count } from "./meter.ts";
import { createQueues, type Queues } from "./queues.ts";
import { type Secrets, secretsOf } from "./secrets.ts";
import { createTable, type Table } from "./table.ts";

/**
 * What every verb works on: the settings, the three stores, the clock, the log, the secrets, and threads to compute on.
 */
export interface Forge {
  readonly config: Config;
  readonly table: Table;
  readonly blobs: Blobs;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  /** The caller for sharing scarce things (`core/caller/caller.ts`); the service itself outside of requests. */
  readonly caller: string;
  /** Computes for the caller. */
  readonly compute: CallersCompute;
  /** Whether somebody waits for the answer; outside of requests what is done is done to its end. */
  readonly awaited: Awaited;
  /**
   * Counts memory that the caller's answer takes, in bytes, until the request is over: call it before something large
   * is read or written. RateLimited or Unavailable when there is no room in time; outside of requests there always is.
   */
  reserve(bytes: number): Promise<void>;
  /**
   * The same for all that the answer takes: what was reserved before is a part of it. When that was less, `largest` is
   * reserved: answers that take ever more would wait for each other.
   */
  reserveInAll(bytes: number, largest?: number): Promise<void>;
}

/**
 * Opens the forge of these settings. Endpoints and credentials of the clients come from the SDK's own environment
 * (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL_SQS`, …). `memory` counts bytes ready for slow
 * readers of objects.
 */
export function createForge(config: Config, overrides: Partial<Forge> = {}, memory?: FairShare): Forge {
  return {
    config,
    table:
      overrides.table ??
      createTable({
        client: openTableClient(),
        name: required(config, "tableName"),
        repeatsRequests: config.repeatedRequests,
      }),
    blobs:
      overrides.blobs ??
      createBlobs({
        bucket: config.bucketName,
        memory,
        isReachable: process.env.AWS_ENDPOINT_URL_S3 === undefined,
        client: lazy(openObjectClient),
      }),
    queues: overrides.queues ?? createQueues({ config, client: lazy(openQueueClient) }),
    clock: overrides.clock ?? systemClock,
    log: overrides.log ?? standardErrorLog(config.logLevel),
    secrets: overrides.secrets ?? secretsOf(() => required(config, "secretKey")),
    caller: serviceCaller,
    compute: computeFor(serviceCaller),
    awaited: alwaysAwaited,
    reserve: async () => undefined,
    reserveInAll: async () => undefined,
  };
}

/** The forge for one request or message: its log lines carry `fields`. */
export const withLogFields = (forge: Forge, fields: LogFields): Forge => ({
  ...forge,
  log: withFields(forge.log, fields),
});

/**
 * The forge for one request: it takes scarce things in its caller's turns, and stops when nobody waits any more, unless
 * it has begun to write.
 */
export const asCaller = (
  forge: Forge,
  holding: Holding,
  awaited: Awaited & { signal(): AbortSignal },
): Forge => ({
  ...forge,
  ...tellingOfWrites(forge, awaited),
  awaited,
  caller: holding.caller,
  compute: computeFor(holding.caller, () => awaited.signal()),
  reserve: (bytes) => holding.reserve(bytes),
  reserveInAll: (bytes, largest) => holding.reserveInAll(bytes, largest),
});

/** The forge for one request: it calls `count` for every request that its stores send. */
export const countedBy = (forge: Forge, count: Count): Forge => ({
  ...forge,
  table: forge.table.countedBy(count),
  blobs: forge.blobs.countedBy(count),
  queues: forge.queues.countedBy(count),
});
