import { setTimeout as pause } from "node:timers/promises";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { Forge } from "#core/forge";
import { mirrorWorker } from "#functions/workers/mirrors";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { everyMinute } from "#functions/workers/tick";
import { webhookWorker } from "#functions/workers/webhooks";
import type { BatchWorker } from "#functions/workers/worker";
import type { LoopWatch } from "./loop-watch.ts";
import { visibilityTimeoutSeconds } from "./services.ts";
import { runWorkerLoop } from "./worker-loop.ts";

/** A slow receiver takes one of these places for as long as DELIVER_TIMEOUT. */
const mostDeliveries = 30;
const mostEvents = 10;
/** As on AWS: one sync may take minutes. */
const mostMirrors = 2;
const tickEveryMs = 60_000;
const stopGraceMs = 10_000;

/**
 * Runs the worker of each queue and the tick beside the server, in this process. `stop` gives running work ten seconds;
 * a message that took longer comes again.
 */
export function startWorkers(forge: Forge, watch?: LoopWatch): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const client = new SQSClient({});
  const { webhooksQueueUrl, mirrorsQueueUrl, repositoryEventsQueueUrl } = forge.config;
  const loops = [
    runLoop(
      forge,
      client,
      webhooksQueueUrl,
      watched("webhooks", webhookWorker, watch),
      mostDeliveries,
      stopping.signal,
    ),
    runLoop(
      forge,
      client,
      mirrorsQueueUrl,
      watched("mirrors", mirrorWorker, watch),
      mostMirrors,
      stopping.signal,
    ),
    runLoop(
      forge,
      client,
      repositoryEventsQueueUrl,
      watched("repository-events", repositoryEventsWorker, watch),
      mostEvents,
      stopping.signal,
    ),
  ];
  const ticking = startTicking(forge);
  return {
    async stop() {
      stopping.abort();
      const ended = Promise.all([...loops, ticking.stop()]);
      await Promise.race([ended, pause(stopGraceMs, undefined, { ref: false })]);
      client.destroy();
    },
  };
}

/** The same worker, with its batches among the work in progress. */
const watched =
  (name: string, worker: BatchWorker, watch: LoopWatch | undefined): BatchWorker =>
  (...args) =>
    watch === undefined ? worker(...args) : watch.during(`worker ${name}`, () => worker(...args));

function runLoop(
  forge: Forge,
  client: SQSClient,
  queueUrl: string,
  worker: BatchWorker,
  mostAtOnce: number,
  signal: AbortSignal,
) {
  return runWorkerLoop({
    client,
    queueUrl,
    queueArn: `arn:aws:sqs:local:000000000000:${queueUrl.slice(queueUrl.lastIndexOf("/") + 1)}`,
    handler: (event) => worker(forge, event, { hiddenSeconds: visibilityTimeoutSeconds }),
    mostAtOnce,
    visibilityTimeoutSeconds,
    log: forge.log,
    signal,
  });
}

/** Ticks at once (a crash may have left something behind) and then every minute, never twice at the same time. */
function startTicking(forge: Forge): { stop(): Promise<void> } {
  let current: Promise<unknown> | undefined;
  const once = () => {
    current ??= everyMinute(forge).finally(() => {
      current = undefined;
    });
  };
  once();
  const timer = setInterval(once, tickEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
