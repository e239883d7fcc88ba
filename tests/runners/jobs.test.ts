import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jobId } from "#core/actions/actions.table";
import { cancelRun } from "#core/actions/job/end-job";
import { readLog } from "#core/actions/log/log";
import { findRun, findTask } from "#core/actions/run/run";
import { boundedIntake } from "#core/capacity/intake";
import { createSite } from "#infra/local/http/site";
import { Folders, tryGit } from "#tests/git/http/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { encodings } from "./client.ts";
import { job, makeRun, makeRunner } from "./make.ts";
import { workOnce } from "./shell-runner.ts";

let api: TestApi;
let owner: Caller;
let server: Server;
let url = "";
const folders = new Folders();
beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "olga" });
  server = createServer(getRequestListener(createSite(api.forge, boundedIntake(api.forge.config)).fetch));
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await folders.remove();
  await api.stop();
});

let made = 0;
/** A private repository of the owner with a commit. */
async function makePlace(options: object = { private: true }) {
  made += 1;
  const name = `r${made}`;
  const id = await makeRepository(api, owner, name, options);
  await pushFiles(api, owner, name, { files: { "greeting.txt": "hello from the code\n" } });
  return { id, name, ownerId: owner.user.id };
}
const withToken = (token: string, name: string) =>
  `${url.replace("//", `//x-access-token:${token}@`)}/olga/${name}.git`;

describe.each(encodings)("a runner that speaks %s (semantics §60, §61)", (encoding) => {
  it("checks out a private repository, runs two jobs of which one needs the other, and tells their logs", async () => {
    const place = await makePlace();
    const path = `/repos/olga/${place.name}/actions`;
    await api.call("PUT", `${path}/secrets/WORD`, { as: owner, body: { data: "sesame" } });
    const checkout = `{uses: actions/checkout@v4, with: {repository: "olga/${place.name}"}}`;
    const text = `
on: push
jobs:
  build:
    runs-on: linux
    steps:
      - ${checkout}
      - run: |
          cat code/greeting.txt
          test "$WORD" = sesame
          echo "color=blue" >> "$GITHUB_OUTPUT"
  after:
    needs: [build]
    runs-on: linux
    steps: [{run: 'echo got $NEEDS_build_color'}, {run: exit 3}, {run: echo never}]
`;
    const runner = await makeRunner(api, { kind: "repository", ...place }, ["linux"]);
    const run = await makeRun(api, place, [job("build"), job("after", { needs: ["build"] })], text);
    expect(await workOnce(runner, url, encoding)).toBe(true);
    expect(await workOnce(runner, url, encoding)).toBe(true);
    expect(await workOnce(runner, url, encoding)).toBe(false);
    const after = await findRun(api.forge, place.id, run.number);
    expect([after?.state, after?.jobs.map(({ state }) => state)]).toEqual([
      "failure",
      ["success", "failure"],
    ]);
    const logs = run.jobs.map(async ({ number }) => {
      const pieces: Uint8Array[] = [];
      const task = await findTask(api.forge, place.id, number);
      if (task === undefined) return "";
      for await (const piece of readLog(api.forge, place.id, task)) pieces.push(piece);
      return Buffer.concat(pieces).toString("utf8").replaceAll("2030-01-02T03:04:05.0000000Z ", "");
    });
    expect(await Promise.all(logs)).toEqual([
      `checked out olga/${place.name}\nhello from the code\n`,
      "got blue\n",
    ]);
  });
});

describe("the token of a task (semantics §61)", () => {
  /** The token of a job that runs in a repository. */
  async function tokenOf(place: Awaited<ReturnType<typeof makePlace>>, more: object = {}) {
    const text = "on: push\njobs: {a: {runs-on: linux, steps: [{run: echo}]}}";
    const runner = await makeRunner(api, { kind: "repository", ...place }, ["linux"]);
    const run = await makeRun(api, place, [job("a")], text, more);
    const { message } = await runner.call("FetchTask", {});
    expect(Number(message.task.id)).toBe(jobId(place.id, run.jobs[0]?.number ?? 0));
    return { run, token: String(message.task.secrets.GITHUB_TOKEN) };
  }
  const asked = (method: string, path: string, token: string, body?: object) =>
    api.call(method, path, { headers: { authorization: `token ${token}` }, ...(body && { body }) });

  it("clones, pushes and comments in its repository; every other one is 404, public ones too (61-4)", async () => {
    const [place, other] = [await makePlace(), await makePlace({})];
    const { token } = await tokenOf(place);
    const folder = await folders.make();
    expect((await tryGit(folder, ["clone", "-q", withToken(token, place.name), "own"])).code).toBe(0);
    const copy = `${folder}/own`;
    await tryGit(copy, ["checkout", "-q", "-b", "by-job"]);
    await tryGit(copy, ["commit", "-q", "--allow-empty", "-m", "by a job"]);
    const pushed = await tryGit(copy, ["push", "-q", "origin", "by-job"]);
    expect([pushed.code, pushed.stderr]).toEqual([0, expect.any(String)]);
    const repository = `/repos/olga/${place.name}`;
    expect((await asked("GET", `${repository}/branches/by-job`, token)).status).toBe(200);
    const issue = await asked("POST", `${repository}/issues`, token, { title: "found by a job" });
    expect([issue.status, issue.json.user.login]).toEqual([201, "forgejo-actions"]);
    const shown = `http.extraHeader=Authorization: Basic ${Buffer.from(`x:${token}`).toString("base64")}`;
    const clone = await tryGit(folder, ["-c", shown, "clone", "-q", `${url}/olga/${other.name}`, "other"]);
    expect([clone.code, clone.stderr]).toEqual([128, expect.stringContaining("not found")]);
    expect((await asked("GET", `/repos/olga/${other.name}`, token)).status).toBe(404);
  });

  it("administers nothing, makes no repository, token or key, and reads no secret", async () => {
    const place = await makePlace({ private: true, auto_init: false });
    const { token } = await tokenOf(place);
    const own = `/repos/olga/${place.name}`;
    const statuses = [
      await asked("PATCH", own, token, { description: "mine" }),
      await asked("DELETE", own, token),
      await asked("GET", `${own}/actions/secrets`, token),
      await asked("GET", `${own}/actions/runners/registration-token`, token),
      await asked("POST", `${own}/keys`, token, { title: "k", key: "ssh-ed25519 AAAA" }),
      await asked("POST", `${own}/import`, token, { size: 1_000 }),
      await asked("POST", "/user/repos", token, { name: "theirs" }),
      await asked("POST", `${own}/forks`, token, {}),
      await asked("POST", "/orgs", token, { username: "theirs" }),
      await asked("POST", "/users/forgejo-actions/tokens", token, { name: "t", scopes: ["all"] }),
      await asked("PUT", "/user/password", token, { password: "correct-horse-10" }),
      await asked("GET", "/admin/users", token),
    ].map(({ status }) => status);
    expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([]);
  });

  it("of a fork's request reads and does not write (61-2)", async () => {
    const place = await makePlace();
    const { token } = await tokenOf(place, { isFromFork: true, event: "pull_request" });
    const folder = await folders.make();
    expect((await tryGit(folder, ["clone", "-q", withToken(token, place.name), "own"])).code).toBe(0);
    await tryGit(`${folder}/own`, ["commit", "-q", "--allow-empty", "-m", "by a job"]);
    const pushed = await tryGit(`${folder}/own`, ["push", "-q", "origin", "HEAD:by-job"]);
    expect([pushed.code, pushed.stderr]).toEqual([128, expect.stringContaining("403")]);
    const target = await tokenOf(place, { isFromFork: true, event: "pull_request_target" });
    const issues = `/repos/olga/${place.name}/issues`;
    expect((await asked("POST", issues, token, { title: "x" })).status).toBe(201);
    expect((await asked("POST", issues, target.token, { title: "x" })).status).toBe(201);
    const change = { content: "eA==", branch: "main" };
    const file = `/repos/olga/${place.name}/contents/x`;
    expect((await asked("POST", file, token, change)).status).toBe(403);
    expect((await asked("POST", file, target.token, change)).status).toBe(201);
  });

  it("401 once its job is over, and for one that is almost right (61-4)", async () => {
    const place = await makePlace();
    const { token, run } = await tokenOf(place);
    const own = `/repos/olga/${place.name}`;
    const almost = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
    expect((await asked("GET", own, token)).status).toBe(200);
    expect((await asked("GET", own, almost)).status).toBe(401);
    expect((await asked("GET", own, `${"f".repeat(14)}${token.slice(14)}`)).status).toBe(401);
    await cancelRun(api.forge, run);
    expect((await asked("GET", own, token)).status).toBe(401);
    const folder = await folders.make();
    const clone = await tryGit(folder, ["clone", "-q", withToken(token, place.name), "own"]);
    expect([clone.code, clone.stderr]).toEqual([128, expect.stringContaining("Authentication failed")]);
  });
});
