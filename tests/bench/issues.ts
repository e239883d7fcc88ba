import type { Forge } from "#core/forge";
import { issueSequenceKey } from "#core/ids";
import { issueIndex } from "#core/issue/issue.index";
import { type Issue, issueKey } from "#core/issue/issue.table";
import { compact } from "#core/list-index/internal/compaction";
import { update } from "#core/table/write";
import { createApi } from "#functions/api/app";
import { fillWith } from "../core/issue/make.ts";
import { makeApi } from "../support/api.ts";
import { onItsOwn } from "./apart.ts";
import type { BenchContext, Figures } from "./bench.ts";

/** The repository that lists are measured on has so many issues. */
const listed = 1_000;

interface Measured {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: (at: number) => object;
  /** Milliseconds of the reference family, of one call. */
  readonly family: string;
}

const path = "/repos/ada/bench";
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
 * CPU of one call in the API as on AWS: without the workers, and without the stand-ins for the table, the objects and
 * the queues; beside that of the reference family.
 */
export async function issueFigures(context: BenchContext): Promise<Figures> {
  const api = await makeApi(onItsOwn(context));
  try {
    const { token } = await api.makeUser({ name: "ada" });
    const call = callerOf(api.forge, token);
    await fill(api.forge, call);
    const rows = [["call", "calls", "CPU ms", "family's CPU ms"]];
    for (const one of calls) rows.push(await measure(call, one));
    return { title: `CPU of calls on ${listed} issues (warm)`, rows };
  } finally {
    await api.stop();
  }
}

type Call = (method: string, path: string, body?: object) => Promise<string>;

/** Calls without the look at each answer that tests take. */
function callerOf(forge: Forge, token: string): Call {
  const app = createApi({ forge });
  const headers = { authorization: `token ${token}`, "content-type": "application/json" };
  return async (method, to, body) => {
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    const answer = await app.request(`/api/v1${to}`, init, { clientAddress: "192.0.2.1" });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${to}: ${answer.status} ${text}`);
    return text;
  };
}

async function fill(forge: Forge, call: Call): Promise<void> {
  const { id: repositoryId } = JSON.parse(await call("POST", "/user/repos", { name: "bench" }));
  const labelIds: number[] = [];
  for (const name of ["a", "b"]) {
    labelIds.push(JSON.parse(await call("POST", `${path}/labels`, { name, color: "#aabbcc" })).id);
  }
  for (const title of ["one", "two"]) await call("POST", `${path}/issues`, { title, body: "words" });
  const like = await forge.table.get<Issue>(issueKey(repositoryId, 2));
  if (like === undefined) throw new Error("there is no issue to go by");
  await fillWith(forge, like, listed, (number) => (number % 10 === 0 ? { labelIds } : {}));
  await compact(forge, issueIndex(repositoryId));
  // The counter has to pass what was written behind its back.
  await forge.table.write(update(issueSequenceKey(repositoryId), { set: { n: listed + 2 } }));
}

const warmUps = 200;
const measuredCalls = 500;

async function measure(call: Call, { name, method, path: to, body, family }: Measured) {
  const run = (at: number) => call(method, to, body?.(at));
  for (let at = 0; at < warmUps; at += 1) await run(at);
  const before = process.cpuUsage();
  for (let at = 0; at < measuredCalls; at += 1) await run(warmUps + at);
  const { user, system } = process.cpuUsage(before);
  return [name, String(measuredCalls), ((user + system) / 1_000 / measuredCalls).toFixed(2), family];
}
