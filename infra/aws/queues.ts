import "./permissions.ts";

/** How often a message is delivered before it goes to the dead letters, for an operator to look at. */
const maxReceives = 5;

/** A queue with its dead letters, kept for the longest time that SQS allows. */
function createQueue(name: string, visibilityTimeout: `${number} minutes`) {
  const deadLetters = new sst.aws.Queue(`${name}DeadLetters`, {
    transform: { queue: { messageRetentionSeconds: 14 * 24 * 60 * 60 } },
  });
  const queue = new sst.aws.Queue(name, {
    visibilityTimeout,
    dlq: { queue: deadLetters.arn, retry: maxReceives },
    transform: { queue: { messageRetentionSeconds: 4 * 24 * 60 * 60 } },
  });
  return { queue, deadLetters };
}

/**
 * Each visibility is six times its worker's timeout (workers.ts), as AWS advises. It counts until the worker begins,
 * which then hides its messages for a minute at a time: a message that failed, or was in a crashed worker, comes again
 * after that.
 */
export const webhooks = createQueue("Webhooks", "12 minutes");
export const mirrors = createQueue("Mirrors", "90 minutes");
export const repositoryEvents = createQueue("RepositoryEvents", "30 minutes");
