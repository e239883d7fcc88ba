import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/** What a git command did, its output as bytes. */
export interface GitOutcome {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A command of git, with all of its environment. */
export interface GitCommand {
  readonly args: readonly string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
  readonly input: string | Uint8Array;
}

type Answer = { readonly id: number } & (GitOutcome | { readonly problem: string });

interface Waiting {
  resolve(outcome: GitOutcome): void;
  reject(error: Error): void;
}

const waiting = new Map<number, Waiting>();
let commands = 0;
let runner: ChildProcess | undefined;

/** Runs git by a small process beside this one, which starts faster than a child of the tests' would. */
export function runByRunner(command: GitCommand): Promise<GitOutcome> {
  runner ??= start();
  const to = runner;
  const id = commands++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    keepAlive(to);
    to.send({ id, ...command }, (error) => error && settle(id)?.reject(error));
  });
}

function start(): ChildProcess {
  // From the project's folder: benchmarks are bundled into `.build/<hash>`, as deep as this one.
  const child = fork(join(import.meta.dirname, "../../tests/support/git-runner.mjs"), {
    serialization: "advanced",
    execArgv: [],
  });
  child.on("message", (answer: Answer) => {
    const one = settle(answer.id);
    if ("problem" in answer) one?.reject(new Error(answer.problem));
    else one?.resolve({ ...answer, stdout: Buffer.from(answer.stdout) });
  });
  child.once("exit", () => {
    runner = undefined;
    for (const id of waiting.keys()) settle(id)?.reject(new Error("the runner of git has ended"));
  });
  return child;
}

/** Only what waits for git holds the process. */
function keepAlive(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function settle(id: number): Waiting | undefined {
  const one = waiting.get(id);
  waiting.delete(id);
  if (waiting.size === 0) {
    runner?.unref();
    runner?.channel?.unref();
  }
  return one;
}
