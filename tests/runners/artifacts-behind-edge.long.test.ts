import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { type HandlersBehindEdge, startHandlersBehindEdge } from "#tests/support/edge/handlers-behind-edge";
import { findingsOf } from "#tests/support/findings";
import { type Encoding, encodings } from "./client.ts";
import { job, makeRun, makeRunner } from "./make.ts";
import { methods } from "./protocol.ts";
import { decodeMessage, encodeMessage, type Values } from "./wire.ts";

const page = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "docs", "limits.md");
const service = "/twirp/github.actions.results.api.v1.ArtifactService";

let api: TestApi;
let owner: Caller;
let lambda: HandlersBehindEdge;
let folder: string;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga", isAdmin: true });
  lambda = await startHandlersBehindEdge(api.forge, { isReachable: true });
  folder = await mkdtemp(join(tmpdir(), "coldforge-artifact-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await lambda.stop();
  await api.stop();
});

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let made = 0;
/** A runner of a repository in which one job waits. */
async function makePlace() {
  made += 1;
  const id = await makeRepository(api, owner, `r${made}`);
  await api.call("PATCH", `/repos/olga/r${made}`, { as: owner, body: { has_actions: true } });
  const place = { id, ownerId: owner.user.id };
  const runner = await makeRunner(api, { kind: "repository", ...place }, ["linux"]);
  const run = await makeRun(
    api,
    place,
    [job("a")],
    "on: push\njobs: {a: {runs-on: linux, steps: [{run: echo}]}}",
  );
  return { runner, run };
}

async function startJob() {
  const { runner, run } = await makePlace();
  const { message } = await runner.call("FetchTask", { tasksVersion: 0 });
  const token: string = message.task.context.gitea_runtime_token;
  const call = async (method: string, body: object) => {
    const answer = await fetch(`${lambda.url}${service}/${method}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ workflow_run_backend_id: String(run.id), ...body }),
    });
    return { status: answer.status, json: (await answer.json()) as JsonValue };
  };
  return { token, runId: String(run.id), call };
}

describe("artifacts behind the edge", () => {
  it("come in blocks and go back; a block that Lambda would not take is refused with words", async () => {
    const { call } = await startJob();
    const { json } = await call("CreateArtifact", { name: "logs" });
    const address: string = json.signedUploadUrl;
    expect(address.startsWith(`${lambda.url}${service}/UploadArtifact?sig=`)).toBe(true);
    const block = randomBytes(4_000_000);
    const put = (query: string, body: Uint8Array | string) =>
      fetch(`${address}${query}`, { method: "PUT", body: body as never });
    expect((await put("&comp=block&blockid=YQ%3D%3D", block)).status).toBe(201);
    const large = await put("&comp=block&blockid=YQ%3D%3D", randomBytes(4_600_000));
    expect([large.status, await large.text()]).toEqual([413, expect.stringContaining("announce it")]);
    expect((await put("&comp=blocklist", "<BlockList><Latest>YQ==</Latest></BlockList>")).status).toBe(201);
    expect((await call("FinalizeArtifact", { name: "logs", size: "4000000" })).status).toBe(200);
    const { signedUrl } = (await call("GetSignedArtifactURL", { name: "logs" })).json;
    const got = await fetch(signedUrl);
    expect(sha256(Buffer.from(await got.arrayBuffer()))).toBe(sha256(block));
  });

  it("401 without a token, 404 for no method, in words", async () => {
    const answer = await fetch(`${lambda.url}${service}/ListArtifacts`, { method: "POST", body: "{}" });
    expect([answer.status, ((await answer.json()) as JsonValue).code]).toEqual([401, "unauthenticated"]);
    const { call } = await startJob();
    expect((await call("Other", {})).status).toBe(404);
  });

  it("the script of docs/limits.md puts a larger file straight to S3", async () => {
    const [, script = ""] =
      /<!-- artifact -->\n```sh\n([\s\S]*?)```/.exec(await readFile(page, "utf8")) ?? [];
    const { token, runId, call } = await startJob();
    const bytes = randomBytes(5 * 2 ** 20);
    await writeFile(join(folder, "site.zip"), bytes);
    const env = {
      ...process.env,
      URL: `${lambda.url}/`,
      TOKEN: token,
      RUN: runId,
      NAME: "site",
      FILE: "site.zip",
    };
    await promisify(execFile)("sh", ["-euc", script], { cwd: folder, env });
    const { signedUrl } = (await call("GetSignedArtifactURL", { name: "site" })).json;
    const got = await fetch(signedUrl);
    expect(sha256(Buffer.from(await got.arrayBuffer()))).toBe(sha256(bytes));
    // Nobody works on events here.
    expect((await findingsOf(api)).filter(({ invariant }) => invariant !== 20)).toEqual([]);
  });
});

describe.each(encodings)("the runner protocol behind the edge in %s", (encoding: Encoding) => {
  async function call(method: keyof typeof methods, values: Values, headers = {}) {
    const { takes, answers } = methods[method];
    const isJson = encoding === "application/json";
    const answer = await fetch(`${lambda.url}/api/actions/${method}`, {
      method: "POST",
      headers: { "content-type": encoding, ...headers },
      body: isJson ? JSON.stringify(values) : new Uint8Array(encodeMessage(takes, values)),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isText = answer.headers.get("content-type") === "application/json";
    return {
      status: answer.status,
      message: isText ? JSON.parse(bytes.toString()) : decodeMessage(answers, bytes),
    };
  }

  it("passes binary bodies both ways: ping, a task, its log and its end", async () => {
    expect((await call("ping.v1.PingService/Ping", { data: "é\u0000x" })).message).toEqual({
      data: "Hello, é\u0000x!",
    });
    const { runner } = await makePlace();
    const as = { "x-runner-uuid": runner.uuid, "x-runner-token": runner.token };
    const { message } = await call("runner.v1.RunnerService/FetchTask", { tasksVersion: 0 }, as);
    const { id } = message.task;
    const rows = Array.from({ length: 2_000 }, (_, at) => ({ content: `line ${at} ü` }));
    const log = await call(
      "runner.v1.RunnerService/UpdateLog",
      { taskId: id, index: 0, rows, noMore: true },
      as,
    );
    expect(Number(log.message.ackIndex)).toBe(2_000);
    const result = encoding === "application/json" ? "RESULT_SUCCESS" : 1;
    const ended = await call("runner.v1.RunnerService/UpdateTask", { state: { id, result } }, as);
    expect([ended.status, ended.message.state.result]).toEqual([200, result]);
    const refused = await call("runner.v1.RunnerService/FetchTask", { tasksVersion: 0 });
    expect([refused.status, refused.message.code]).toEqual([401, "unauthenticated"]);
  });
});
