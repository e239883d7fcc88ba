import { createLog } from "#core/log";
import { type S3Options, startS3 } from "#infra/local/s3/s3";
import { type SqsOptions, startSqs } from "#infra/local/sqs/sqs";

/** What a stand-in says of itself once it is ready, as a line of JSON; an SQS tells its queues by their names. */
export interface StandInReady {
  readonly endpoint: string;
  readonly queues: Readonly<Record<string, { readonly url: string; readonly arn: string }>>;
}

/** The stand-in of S3 or SQS as a process of its own, which ends when its standard input does. */
const [kind = "", given = "{}"] = process.argv.slice(2);
const options = { ...JSON.parse(given), log: createLog(() => undefined) } as S3Options & SqsOptions;

const { endpoint, queues, stop } = kind === "s3" ? { ...(await startS3(options)), queues: {} } : await sqs();
process.stdin.on("end", () => void stop()).resume();
process.stdout.write(`${JSON.stringify({ endpoint, queues } satisfies StandInReady)}\n`);

async function sqs() {
  const { queueUrl, queueArn, ...running } = await startSqs(options);
  const names = options.queues.flatMap(({ name, deadLetter }) => [name, deadLetter?.name ?? name]);
  const queues = Object.fromEntries(
    names.map((name) => [name, { url: queueUrl(name), arn: queueArn(name) }]),
  );
  return { ...running, queues };
}
