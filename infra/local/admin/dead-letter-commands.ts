import { type Message, SQSClient } from "@aws-sdk/client-sqs";
import { type Config, required } from "#core/config";
import type { QueueName } from "#core/events/queue-message";
import { StartError } from "../start-error.ts";
import type { AdminCommand, Options } from "./admin.ts";
import { listDeadLetters, redriveDeadLetters } from "./dead-letters.ts";

const urlSettings = {
  webhooks: "webhooksQueueUrl",
  mirrors: "mirrorsQueueUrl",
  "repository-events": "repositoryEventsQueueUrl",
} as const satisfies Record<QueueName, keyof Config>;
const queueNames = Object.keys(urlSettings) as QueueName[];
const queue = { queue: { type: "string" } } as const;
const synopsis = `[--queue ${queueNames.join(" | ")}]`;
const mostListed = 100;
const longestBody = 200;

const list: AdminCommand = {
  synopsis,
  about: `shows the messages that could not be handled, up to ${mostListed} of each queue`,
  options: queue,
  required: [],
  async perform({ config }, options) {
    const lines = await eachQueue(config, options, async (client, name, url) => {
      const found = await listDeadLetters(client, url, mostListed);
      return [`${name}: ${found.length === 0 ? "none" : found.length}`, ...found.map(describe)];
    });
    return lines.flat().join("\n");
  },
};

const redrive: AdminCommand = {
  synopsis,
  about: "puts them back, to be handled anew: after what was in their way is mended",
  options: queue,
  required: [],
  async perform({ config }, options) {
    const lines = await eachQueue(config, options, async (client, name, url) => {
      return `${name}: ${await redriveDeadLetters(client, url)} put back`;
    });
    return lines.join("\n");
  },
};

/** By the words that call them. */
export const deadLetterCommands: Readonly<Record<string, AdminCommand>> = {
  "dead-letters list": list,
  "dead-letters redrive": redrive,
};

async function eachQueue<T>(
  config: Config,
  { queue: asked }: Options,
  work: (client: SQSClient, name: QueueName, url: string) => Promise<T>,
): Promise<T[]> {
  const chosen = queueNames.filter((name) => asked === undefined || name === asked);
  if (chosen.length === 0) throw new StartError(`there is no queue ${asked}: ${queueNames.join(", ")}.`);
  const client = new SQSClient({});
  const answers: T[] = [];
  for (const name of chosen) {
    answers.push(await work(client, name, required(config, urlSettings[name])));
  }
  client.destroy();
  return answers;
}

function describe({ Attributes, Body = "" }: Message): string {
  const sentAt = new Date(Number(Attributes?.SentTimestamp ?? 0)).toISOString();
  return `  ${sentAt}  ${Body.length > longestBody ? `${Body.slice(0, longestBody)}…` : Body}`;
}
