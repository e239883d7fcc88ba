import { resendOverdue } from "#core/events/outbox";
import type { Forge } from "#core/forge";
import { issueSequenceKey } from "#core/ids";
import { issueIndex } from "#core/issue/issue.index";
import { type Issue, issueKey } from "#core/issue/issue.table";
import { compact } from "#core/list-index/internal/compaction";
import { update } from "#core/table/write";
import { createApi } from "#functions/api/app";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { fillWith } from "../core/issue/make.ts";
import { makeApi, type TestApi } from "../support/api.ts";
import { measured } from "../support/measured.ts";
import { onItsOwn } from "./apart.ts";
import { type BenchContext, type Figures, median } from "./bench.ts";

const listed = 10_000;
const merged = 20;
const read = 100;
const path = "/repos/ada/bench";
const dependent = 50;
const styles = ["merge", "squash", "rebase", "rebase-merge", "fast-forward-only"] as const;

type Call = (method: string, to: string, body?: object) => Promise<{ json: Json; cost: string }>;
type Json = ReturnType<typeof JSON.parse>;

/**
 * A merge of each style, a request that is read, a list of 50 among 10,000, and the worker that gives 50 requests another
 * base: CPU of the API's process alone, and what one call asked of DynamoDB and S3.
 */
export async function pullFigures(context: BenchContext): Promise<Figures> {
  const api = await makeApi(onItsOwn(context));
  try {
    const { token } = await api.makeUser({ name: "ada" });
    const call = callerOf(api.forge, token);
    const { json } = await call("POST", "/user/repos", { name: "bench", auto_init: true });
    const rows = [["call", "calls", "CPU ms", "one call asked for"]];
    for (const style of styles) rows.push(await measureMerges(call, style));
    const number = await open(call, "read");
    rows.push(await measure("GET pull", read, () => call("GET", `${path}/pulls/${number}`)));
    await fill(api.forge, json.id, number);
    rows.push(await measure("list 50 of 10,000", read, () => call("GET", `${path}/pulls?limit=50`)));
    for (const isKilled of [false, true]) rows.push(await measureRetargeting(api, call, isKilled));
    return { title: "Pull requests (warm)", rows };
  } finally {
    await api.stop();
  }
}

function callerOf(forge: Forge, token: string): Call {
  const app = createApi({ forge, showsCost: true });
  const headers = { authorization: `token ${token}`, "content-type": "application/json" };
  return async (method, to, body) => {
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    const answer = await app.request(`/api/v1${to}`, init, { clientAddress: "192.0.2.1" });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${to}: ${answer.status} ${text}`);
    return {
      json: text === "" ? undefined : JSON.parse(text),
      cost: answer.headers.get("server-timing") ?? "",
    };
  };
}

/** Opens a request with one changed file. */
async function open(call: Call, head: string, { to = path, base = "main" } = {}): Promise<number> {
  const content = Buffer.from(`${head}\n`).toString("base64");
  const body = { content, message: head, branch: base, new_branch: head };
  await call("POST", `${to}/contents/${head}.txt`, body);
  return (await call("POST", `${to}/pulls`, { title: head, base, head })).json.number;
}

/** What the worker does when the head of a merged request is deleted, into which others go; also killed half-way. */
async function measureRetargeting(api: TestApi, call: Call, isKilled: boolean): Promise<string[]> {
  const name = isKilled ? "killed" : "whole";
  const to = `/repos/ada/${name}`;
  await call("POST", "/user/repos", { name, auto_init: true });
  const parent = await open(call, "parent", { to });
  for (let at = 0; at < dependent; at += 1) await open(call, `child-${at}`, { to, base: "parent" });
  await call("POST", `${to}/pulls/${parent}/merge`, { Do: "merge" });
  const work = () =>
    api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
  await work();
  await call("DELETE", `${to}/branches/parent`);
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  const { usage } = await measured(async () => {
    if (isKilled) {
      api.faults.crashAt(dependent, "after"); // some of its writes, a few to each request
      await work().catch(() => undefined);
      api.faults.recover();
      api.clock.advance(120_000);
      await resendOverdue(api.forge);
    }
    while ((await work()).done > 0);
  });
  const ms = performance.now() - start;
  const left = (await call("GET", `${to}/pulls?base=parent&state=all&limit=50`)).json.length;
  if (left > 0) throw new Error(`${left} requests were not retargeted`);
  const { tableRequests, tableReadUnits, tableWriteUnits } = usage;
  return [
    ...[`retarget ${dependent}${isKilled ? ", killed half-way" : ""}`, "1", spentMs(cpu).toFixed(0)],
    `in ${ms.toFixed(0)} ms; table: ${tableRequests} requests, ${tableReadUnits} read and ${tableWriteUnits} write units`,
  ];
}

/** The first ones warm up. */
async function measureMerges(call: Call, style: string): Promise<string[]> {
  const merge = (number: number) => call("POST", `${path}/pulls/${number}/merge`, { Do: style });
  const costs: { ms: number; cost: string }[] = [];
  for (let at = -merged / 4; at < merged; at += 1) {
    const number = await open(call, `${style}-${at + merged}`);
    const before = process.cpuUsage();
    const { cost } = await merge(number);
    if (at >= 0) costs.push({ ms: spentMs(before), cost });
  }
  const ms = median(costs.map((one) => one.ms));
  return [`merge: ${style}`, String(merged), ms.toFixed(1), costs.at(-1)?.cost ?? ""];
}

async function measure(name: string, count: number, run: () => ReturnType<Call>): Promise<string[]> {
  for (let at = 0; at < count / 4; at += 1) await run();
  const before = process.cpuUsage();
  for (let at = 0; at < count; at += 1) await run();
  const ms = spentMs(before) / count;
  return [name, String(count), ms.toFixed(2), (await run()).cost];
}

function spentMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function fill(forge: Forge, repositoryId: number, number: number): Promise<void> {
  const like = await forge.table.get<Issue>(issueKey(repositoryId, number));
  if (like === undefined) throw new Error("there is no request to go by");
  await fillWith(forge, like, listed, () => ({}));
  await compact(forge, issueIndex(repositoryId));
  await forge.table.write(update(issueSequenceKey(repositoryId), { set: { n: listed + number } }));
}
