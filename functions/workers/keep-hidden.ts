import type { SQSRecord } from "aws-lambda";
import type { QueueName } from "#core/events/queue-message";
import type { Forge } from "#core/forge";

/** Renewals in each period of `seconds`: a lost one does no harm. */
const renewals = 3;

/**
 * Keeps the messages of a batch hidden from other workers for as long as it is worked on, `seconds` at a time. When the
 * worker is killed, or a message failed, it comes again after that time and not after the queue's own, which on AWS
 * must be several times the longest run. With `areHidden` they were received for that time just now, which spares the
 * first request. The returned function stops it. Nothing is awaited; failures are logged.
 */
export function keepHidden(
  forge: Forge,
  queue: QueueName,
  records: readonly SQSRecord[],
  { seconds, areHidden }: { readonly seconds: number; readonly areHidden: boolean },
): () => void {
  const handles = records.map((record) => record.receiptHandle);
  const renew = () => {
    forge.queues.hide(queue, handles, seconds).catch((error: unknown) => {
      forge.log.warn("worker:messages-not-hidden", { error });
    });
  };
  if (!areHidden) renew();
  const timer = setInterval(renew, (seconds * 1000) / renewals);
  return () => clearInterval(timer);
}
