import { type ServerProcess, startServer } from "../support/server-process.ts";
import type { BenchContext, Figures } from "./bench.ts";

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
      await measure(call, "POST issue", "POST", "/repos/root/bench/issues", () => ({ title: "One more" })),
      await measure(call, "POST comment", "POST", "/repos/root/bench/issues/1/comments", () => ({
        body: "A",
      })),
      await measure(call, "PATCH issue", "PATCH", "/repos/root/bench/issues/1", () => ({
        title: String(Math.random()),
      })),
    ];
    return { title: "Requests of one call (warm)", rows: [["call", "status", "cost"], ...rows] };
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
