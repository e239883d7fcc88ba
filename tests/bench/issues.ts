import { type ServerProcess, startServer } from "../support/server-process.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { usageOf } from "./process-usage.ts";

/** The repository that lists are measured on has so many issues. */
const listed = 1_000;
const comments = 3;

interface Measured {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: (at: number) => object;
  /** Milliseconds of the reference family, of one call. */
  readonly family: string;
}

const path = "/repos/root/bench";
const calls: readonly Measured[] = [
  { name: "list 50", method: "GET", path: `${path}/issues?limit=50`, family: "23–28" },
  { name: "list 50, two labels", method: "GET", path: `${path}/issues?limit=50&labels=a,b`, family: "" },
  {
    name: "list 50, by update",
    method: "GET",
    path: `${path}/issues?limit=50&sort=recentupdate`,
    family: "",
  },
  { name: "list 50 of all repositories", method: "GET", path: "/repos/issues/search?limit=50", family: "" },
  { name: "GET issue", method: "GET", path: `${path}/issues/1`, family: "" },
  {
    name: "POST issue",
    method: "POST",
    path: `${path}/issues`,
    body: (at) => ({ title: `Issue ${at}`, body: "Some words about what is wrong here." }),
    family: "8–10",
  },
  {
    name: "POST comment",
    method: "POST",
    path: `${path}/issues/1/comments`,
    body: (at) => ({ body: `Remark ${at}` }),
    family: "9",
  },
  {
    name: "PATCH issue",
    method: "PATCH",
    path: `${path}/issues/2`,
    body: (at) => ({ title: `Title ${at}` }),
    family: "8",
  },
];

/**
 * CPU of one call, of the server's process with the API, its workers and, on one machine, all that stands in for AWS;
 * beside that of the reference family.
 */
export async function issueFigures({ project }: BenchContext): Promise<Figures> {
  const server = await startServer({ project });
  try {
    await fill(server);
    const rows = [["call", "calls", "CPU ms", "family's CPU ms"]];
    for (const one of calls) rows.push(await measure(server, one));
    return { title: `CPU of calls on ${listed} issues (warm)`, rows };
  } finally {
    await server.stop();
  }
}

async function call(server: ServerProcess, method: string, to: string, body?: object): Promise<void> {
  const response = await fetch(`${server.url}/api/v1${to}`, {
    method,
    headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${to}: ${response.status} ${text}`);
}

async function fill(server: ServerProcess): Promise<void> {
  await call(server, "POST", "/user/repos", { name: "bench" });
  for (const name of ["a", "b"]) {
    await call(server, "POST", `${path}/labels`, { name, color: "#aabbcc" });
  }
  for (let number = 1; number <= listed; number += 1) {
    await call(server, "POST", `${path}/issues`, { title: `Issue ${number}`, body: "words" });
    if (number % 10 === 0)
      await call(server, "POST", `${path}/issues/${number}/labels`, { labels: ["a", "b"] });
  }
  for (let made = 0; made < comments; made += 1) {
    await call(server, "POST", `${path}/issues/1/comments`, { body: "words" });
  }
}

const warmUps = 50;
const measuredCalls = 300;

async function measure(server: ServerProcess, { name, method, path: to, body, family }: Measured) {
  const run = (at: number) => call(server, method, to, body?.(at));
  for (let at = 0; at < warmUps; at += 1) await run(at);
  const before = usageOf(server.pid).cpuSeconds;
  for (let at = 0; at < measuredCalls; at += 1) await run(warmUps + at);
  const spentMs = ((usageOf(server.pid).cpuSeconds - before) * 1_000) / measuredCalls;
  return [name, String(measuredCalls), spentMs.toFixed(2), family];
}
