import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import type { BenchContext, Figures } from "./bench.ts";

type Call = (method: string, path: string, body?: object) => Promise<Response>;

/** What each answer asked of DynamoDB and S3, as its `Server-Timing` header says; warm (the second of two calls). */
export async function requestFigures({ project }: BenchContext): Promise<Figures> {
  const server = await startServer({ project });
  const work = mkdtempSync(join(tmpdir(), "coldforge-bench-"));
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
      await measure(call, "POST issue", "POST", "/repos/root/bench/issues", { title: "One more" }),
      await measure(call, "POST comment", "POST", "/repos/root/bench/issues/1/comments", {
        body: "A comment",
      }),
      await measure(call, "PATCH issue", "PATCH", "/repos/root/bench/issues/1", { title: "Another title" }),
      ...(await gitRows(server, work)),
    ];
    return { title: "Requests of one call (warm)", rows: [["call", "status", "cost"], ...rows] };
  } finally {
    await server.stop();
    rmSync(work, { recursive: true, force: true });
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
  body?: object,
): Promise<string[]> {
  await (await call(method, path, body)).text();
  const response = await call(method, path, body);
  await response.text();
  return [name, String(response.status), response.headers.get("server-timing") ?? ""];
}

/** Git says nothing of its cost to clients: the server's log line `git:cost` does. */
async function gitRows(server: ServerProcess, work: string): Promise<string[][]> {
  const url = server.url.replace("//", `//root:${server.token}@`);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: work, stdio: "pipe" });
  git("clone", "-q", `${url}/root/bench.git`, "clone");
  const timings = async (path: string, init: RequestInit) => {
    const response = await fetch(`${server.url}${path}`, init);
    await response.arrayBuffer();
    return [String(response.status), response.headers.get("server-timing") ?? ""];
  };
  const headers = { authorization: `token ${server.token}`, "git-protocol": "version=2" };
  const lsRefs = { "content-type": "application/x-git-upload-pack-request", ...headers };
  return [
    [
      "no-op fetch: info/refs",
      ...(await timings("/root/bench.git/info/refs?service=git-upload-pack", { headers })),
    ],
    [
      "no-op fetch: ls-refs",
      ...(await timings("/root/bench.git/git-upload-pack", {
        method: "POST",
        headers: lsRefs,
        body: "0014command=ls-refs\n0001000cpeel\n0000".replace("000cpeel", "0009peel"),
      })),
    ],
  ];
}
