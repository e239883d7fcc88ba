import { administrator, type ServerProcess, startServer } from "../support/process/server-process.ts";
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

const warmUpRounds = 5;
const cpuRounds = 20;
const callsOfRound = 200;

/** What authentication adds to a call: CPU of the process by itself, the kinds in turn, when all of them are warm. */
async function cpuRows(server: ServerProcess): Promise<string[][]> {
  const password = `Basic ${Buffer.from(`${administrator.name}:${administrator.password}`).toString("base64")}`;
  const kinds = [
    { name: "GET version, anonymous", path: "/version", headers: {} },
    { name: "GET user, by token", path: "/user", headers: { authorization: `token ${server.token}` } },
    { name: "GET user, by password", path: "/user", headers: { authorization: password } },
  ].map((kind) => ({ ...kind, spentSeconds: 0 }));
  for (let round = -warmUpRounds; round < cpuRounds; round += 1) {
    for (const kind of kinds) {
      const { path, headers } = kind;
      const before = usageOf(server.pid).cpuSeconds;
      for (let count = 0; count < callsOfRound; count += 1)
        await (await fetch(`${server.url}/api/v1${path}`, { headers })).arrayBuffer();
      if (round >= 0) kind.spentSeconds += usageOf(server.pid).cpuSeconds - before;
    }
  }
  const spentMs = (seconds: number) => ((seconds * 1000) / (cpuRounds * callsOfRound)).toFixed(2);
  return kinds.map(({ name, spentSeconds }) => [name, "200", `${spentMs(spentSeconds)} ms of CPU a call`]);
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
