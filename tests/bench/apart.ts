import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestForgeOptions } from "../support/forge.ts";
import type { OwnStandIns } from "../support/stand-ins/stand-ins.ts";
import type { BenchContext } from "./bench.ts";
import type { StandInReady } from "./stand-in.ts";

/**
 * A forge as it runs on AWS: nothing is simulated, and what stands in for the table, the objects and the queues works in
 * processes of its own, so that the CPU of this one is that of the forge alone.
 */
export const onItsOwn = ({ standInScript }: BenchContext): TestForgeOptions => ({
  simulation: false,
  standIns: {
    startS3: (options) => start(standInScript, "s3", options),
    async startSqs(options) {
      const { queues, ...running } = await start(standInScript, "sqs", options);
      const known = (name: string) => {
        const queue = queues[name];
        if (queue === undefined) throw new Error(`there is no queue ${name}`);
        return queue;
      };
      return { ...running, queueUrl: (name) => known(name).url, queueArn: (name) => known(name).arn };
    },
  } satisfies OwnStandIns,
});

async function start(script: string, kind: "s3" | "sqs", options: object) {
  const child = spawn(process.execPath, [script, kind, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (value === undefined) throw new Error(`the stand-in of ${kind} ended at once`);
  return {
    ...(JSON.parse(value) as StandInReady),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
