import { administrator, type ServerProcess, startServer } from "../support/server-process.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { usageOf } from "./process-usage.ts";

type Call = (method: string, path: string, body?: object) => Promise<Response>;

/**
 * What each answer asked of DynamoDB and S3, as its `Server-Timing` header says; warm (the second of two calls). What
 * fetches and pushes ask is asserted by the tests of git over http.
 */
export async function requestFigures({ project }: BenchContext): Promise<Figures> {
  const server = await startServer({ project });
  try {
    const call = callerOf(server);
    await call("POST", "/user/repos", { name: "bench", auto_init: true });
    for (let number = 1; number <= 35; number += 1) {
      await call("POST", "/repos/root/bench/issues", { title: `Issue ${number}` });
    }
    const rows = [
      await measure(call, "GET repository", "GET", "/repos/root/bench"),
      await measure(call, "GET issue", "GET", "/repos/root/bench/issues/1"),
      await measure(call, "list 30 issues", "GET", "/repos/root/bench/issues"),
      await measure(call, "search 30 issues", "GET", "/repos/root/bench/issues?q=issue"),
      await measure(call, "POST issue", "POST", "/repos/root/bench/issues", () => ({ title: "One more" })),
      await measure(call, "POST comment", "POST", "/repos/root/bench/issues/1/comments", () => ({
        body: "A",
      })),
      await measure(call, "PATCH issue", "PATCH", "/repos/root/bench/issues/1", () => ({
        title: String(Math.random()),
      })),
    ];
    const cpu = await cpuRows(server);
    return { title: "Requests of one call (warm)", rows: [["call", "status", "cost"], ...rows, ...cpu] };
  } finally {
    await server.stop();
  }
}

function callerOf(server: ServerProcess): Call {
  return (method, path, body) =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

const cpuCalls = 2_000;

/** What authentication adds to a call: CPU of the process by itself, over many calls of a warm one. */
async function cpuRows(server: ServerProcess): Promise<string[][]> {
  const password = `Basic ${Buffer.from(`${administrator.name}:${administrator.password}`).toString("base64")}`;
  const kinds = [
    ["GET version, anonymous", "/version", {}],
    ["GET user, by token", "/user", { authorization: `token ${server.token}` }],
    ["GET user, by password", "/user", { authorization: password }],
  ] as const;
  const rows: string[][] = [];
  for (const [name, path, headers] of kinds) {
    const call = async () => (await fetch(`${server.url}/api/v1${path}`, { headers })).arrayBuffer();
    for (let count = 0; count < 200; count += 1) await call();
    const before = usageOf(server.pid).cpuSeconds;
    for (let count = 0; count < cpuCalls; count += 1) await call();
    const spentMs = ((usageOf(server.pid).cpuSeconds - before) * 1000) / cpuCalls;
    rows.push([name, "200", `${spentMs.toFixed(2)} ms of CPU a call`]);
  }
  return rows;
}

async function measure(
  call: Call,
  name: string,
  method: string,
  path: string,
  makeBody: () => object | undefined = () => undefined,
): Promise<string[]> {
  await (await call(method, path, makeBody())).text();
  const response = await call(method, path, makeBody());
  await response.text();
  return [name, String(response.status), response.headers.get("server-timing") ?? ""];
}
