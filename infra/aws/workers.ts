import { languagesBeside, linksOfAll, sharedFunctionArgs } from "./function.ts";
import { mirrors, repositoryEvents, webhooks } from "./queues.ts";
import { hookKey } from "./secrets.ts";
import { addComputeThread } from "./thread-scripts.ts";

interface WorkerArgs {
  readonly queue: typeof webhooks.queue;
  readonly handler: string;
  readonly timeout: `${number} minutes`;
  readonly memory: `${number} MB`;
  readonly batchSize: number;
  readonly link?: object[];
  readonly nodejs?: typeof sharedFunctionArgs.nodejs;
  readonly storage?: `${number} GB`;
  readonly hook?: { readonly postbuild: (folder: string) => Promise<void> };
}

/** Two at once per queue: a new account may have ten concurrent executions in all, and the API needs some of them. */
const maximumConcurrency = 2;

/** A function that works on one queue's messages and names the ones that failed. */
function createWorker(name: string, { queue, batchSize, ...args }: WorkerArgs) {
  const worker = new sst.aws.Function(name, {
    ...sharedFunctionArgs,
    ...args,
    permissions: [
      {
        actions: [
          "sqs:ChangeMessageVisibility",
          "sqs:DeleteMessage",
          "sqs:GetQueueAttributes",
          "sqs:ReceiveMessage",
        ],
        resources: [queue.arn],
      },
    ],
  });
  queue.subscribe(worker.arn, {
    batch: { size: batchSize, partialResponses: true },
    transform: { eventSourceMapping: { scalingConfig: { maximumConcurrency } } },
  });
  return worker;
}

/** Sends webhook deliveries, a batch at once; each receiver gets seconds. It opens no secrets but those of hooks. */
export const webhookWorker = createWorker("WebhookWorker", {
  queue: webhooks.queue,
  handler: "functions/workers/webhooks.handler",
  timeout: "2 minutes",
  memory: "512 MB",
  batchSize: 10,
  link: [...linksOfAll, hookKey],
});

/**
 * Copies other hosts' repositories and takes bundles in, one message at a time: one may take all the time there is, and
 * as much room as a push.
 */
export const mirrorWorker = createWorker("MirrorWorker", {
  queue: mirrors.queue,
  handler: "functions/workers/mirrors.handler",
  timeout: "15 minutes",
  memory: "2048 MB",
  storage: "10 GB",
  batchSize: 1,
  hook: { postbuild: addComputeThread("functions/workers") },
});

/** Everything that follows a change of a repository, and the steps of long jobs. */
export const repositoryEventWorker = createWorker("RepositoryEventWorker", {
  queue: repositoryEvents.queue,
  handler: "functions/workers/repository-events.handler",
  timeout: "5 minutes",
  memory: "1769 MB",
  batchSize: 5,
  nodejs: languagesBeside,
});

/**
 * Starts due work and sends again the messages that a crash left in the outbox. The next minute makes up for a missed
 * one.
 */
export const tickWorker = new sst.aws.Function("TickWorker", {
  ...sharedFunctionArgs,
  handler: "functions/workers/tick.handler",
  timeout: "1 minute",
  memory: "512 MB",
  retries: 0,
});

export const tick = new sst.aws.CronV2("Tick", { schedule: "rate(1 minute)", function: tickWorker });
