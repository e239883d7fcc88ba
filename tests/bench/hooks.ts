import { setTimeout as pause } from "node:timers/promises";
import { type ServerProcess, startServer } from "../support/process/server-process.ts";
import { type Receiver, startReceiver } from "../support/servers/receiver.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { usageOf } from "./process-usage.ts";

const single = 1_000;
const burst = 100;
const hooks = 10;
const writers = 4;
const receiverMs = 5;

/**
 * How long a hook waits for what is written through the API, one write after the other; then a burst of comments that
 * ten hooks hear of, all receivers alive or one hanging.
 */
export async function hookFigures({ project }: BenchContext): Promise<Figures> {
  const server = await startServer({ project });
  try {
    const alone = await measureAlone(server);
    const alive = await measureBurst(server, "alive", 0);
    const hanging = await measureBurst(server, "hanging", 1);
    return {
      title: `From an API write to the receiver, which takes ${receiverMs} ms`,
      rows: [
        ["", "deliveries", "p50 ms", "p99 ms", "longest ms", "a second", "CPU ms of each"],
        [`${single} comments, one after the other`, ...alone],
        [`${burst} comments at once, ${hooks} hooks`, ...alive],
        ["… one of which hangs: the other nine", ...hanging],
      ],
    };
  } finally {
    await server.stop();
  }
}

/** When each comment was sent, and each delivery came, by the comment's number. */
interface Watch {
  readonly sentAt: Map<string, number>;
  readonly delays: number[];
}

/** A receiver that notes how late it hears of each comment. */
async function listen(watch: Watch, onHeard: () => void): Promise<Receiver> {
  const receiver = await startReceiver();
  receiver.answer = async (response, { body }) => {
    const sentAt = watch.sentAt.get(JSON.parse(body).comment.body);
    if (sentAt !== undefined) watch.delays.push(performance.now() - sentAt);
    onHeard();
    await pause(receiverMs);
    response.end();
  };
  return receiver;
}

async function measureAlone(server: ServerProcess): Promise<string[]> {
  const issue = await makeIssue(server, "alone");
  const watch: Watch = { sentAt: new Map(), delays: [] };
  let heard: () => void = () => undefined;
  const receiver = await listen(watch, () => heard());
  await makeHook(server, "alone", receiver.url);
  const before = usageOf(server.pid).cpuSeconds;
  const began = performance.now();
  for (let number = 0; number < single; number += 1) {
    const hearing = new Promise<void>((resolve) => {
      heard = resolve;
    });
    await comment(server, issue, watch, number);
    await hearing;
  }
  const row = rowOf(watch, performance.now() - began, usageOf(server.pid).cpuSeconds - before);
  await receiver.close();
  return row;
}

async function measureBurst(server: ServerProcess, name: string, silent: number): Promise<string[]> {
  const issue = await makeIssue(server, name);
  const watch: Watch = { sentAt: new Map(), delays: [] };
  const expected = burst * (hooks - silent);
  let end: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    end = resolve;
  });
  const alive = await listen(watch, () => {
    if (watch.delays.length === expected) end();
  });
  const hanging = await startReceiver();
  hanging.answer = () => undefined;
  for (let number = 0; number < hooks; number += 1) {
    await makeHook(server, name, (number < silent ? hanging : alive).url);
  }
  const before = usageOf(server.pid).cpuSeconds;
  const began = performance.now();
  const numbers = Array.from({ length: burst }, (_, number) => number);
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        await comment(server, issue, watch, number);
      }
    }),
  );
  await all;
  const row = rowOf(watch, performance.now() - began, usageOf(server.pid).cpuSeconds - before);
  await Promise.all([alive.close(), hanging.close()]);
  return row;
}

function rowOf({ delays }: Watch, elapsedMs: number, cpuSeconds: number): string[] {
  const sorted = delays.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toFixed(0);
  return [
    String(sorted.length),
    ...[at(0.5), at(0.99), at(1)],
    ((sorted.length / elapsedMs) * 1000).toFixed(0),
    ((cpuSeconds * 1000) / sorted.length).toFixed(1),
  ];
}

async function call(server: ServerProcess, path: string, body: object): Promise<void> {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
}

async function makeIssue(server: ServerProcess, name: string): Promise<string> {
  await call(server, "/user/repos", { name });
  await call(server, `/repos/root/${name}/issues`, { title: "Watched" });
  return `/repos/root/${name}/issues/1`;
}

async function comment(server: ServerProcess, issue: string, { sentAt }: Watch, number: number) {
  sentAt.set(String(number), performance.now());
  await call(server, `${issue}/comments`, { body: String(number) });
}

const makeHook = (server: ServerProcess, name: string, url: string) =>
  call(server, `/repos/root/${name}/hooks`, {
    ...{ type: "forgejo", active: true, events: ["issue_comment"] },
    config: { url, content_type: "json", secret: "s" },
  });
