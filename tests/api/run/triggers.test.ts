import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pushFiles } from "#tests/support/code";
import { type RunWorld, startRuns, workflow } from "./world.ts";

let world: RunWorld;
beforeAll(async () => {
  world = await startRuns();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const file = ".forgejo/workflows/ci.yml";
const on = (text: string) => ({ [file]: workflow(text) });
const branches = async () =>
  (await world.json("GET", "actions/runs")).workflow_runs.map(
    ({ event, head_branch }: { event: string; head_branch: string }) => `${event} ${head_branch}`,
  );
const tag = async (name: string) => {
  await world.json("POST", "tags", { tag_name: name, target: "main" });
  await world.finish();
};

describe("push", () => {
  it("by branches, and by branches and tags (semantics §64.6-1)", async () => {
    await world.push(on("{push: {branches: [main]}}"));
    await world.push({ other: "file" }, { branch: "dev", from: "main" });
    await tag("v0");
    expect(await branches()).toEqual(["push main"]);
    await world.push(on("{push: {branches: [main], tags: ['v*']}}"));
    await tag("v1");
    await tag("w1");
    expect(await branches()).toEqual(["push v1", "push main", "push main"]);
  });

  it("by the paths that changed (semantics §64.6-2)", async () => {
    await world.push(on("{push: {paths: ['src/**']}}"));
    await world.push({ "README.md": "words" });
    expect(await branches()).toEqual([]);
    await world.push({ "src/deep/a.ts": "code" });
    expect(await branches()).toEqual(["push main"]);
    await world.push(on("{push: {paths-ignore: ['**.md']}}"));
    await world.push({ "README.md": "other words" });
    expect(await branches()).toHaveLength(2);
  });

  it("not with [skip ci]; a file that can't be read makes a failed run that says why (semantics §64.6-6)", async () => {
    await world.push(on("push"), { message: "words [skip ci]\n" });
    expect(await world.runs()).toEqual([]);
    await world.push({ ".forgejo/workflows/broken.yml": "on: [\n" });
    expect((await world.runs()).sort()).toEqual(["push failure", "push waiting"]);
    const { workflow_runs: runs } = await world.json("GET", "actions/runs?status=failure");
    expect([runs[0].workflow_id, runs[0].problem]).toEqual(["broken.yml", expect.stringContaining("line")]);
  });

  it("reports each job on its commit (semantics §64.4)", async () => {
    const sha = await world.push(on("push"));
    const told = async () =>
      (await world.json("GET", `commits/${sha}/status`)).statuses.map(
        ({ context, status }: { context: string; status: string }) => `${context}: ${status}`,
      );
    expect(await told()).toEqual(["CI / build (push): pending"]);
    await world.work("failure");
    expect(await told()).toEqual(["CI / build (push): failure"]);
  });
});

describe("pull_request, approveWorkflowRun", () => {
  const change = { "README.md": "words" };
  const open = async (head = "dev", as = world.owner) => {
    const { number } = await world.json("POST", "pulls", { head, base: "main", title: "a change" }, as);
    await world.finish();
    return number;
  };

  it("opened, synchronized, not labeled; with types: [labeled] then (semantics §64.6-3)", async () => {
    await world.push(on("pull_request"));
    await world.push(change, { branch: "dev", from: "main" });
    const number = await open();
    expect(await world.runs()).toEqual(["pull_request waiting"]);
    const label = await world.json("POST", "labels", { name: "bug", color: "aabbcc" });
    await world.json("POST", `issues/${number}/labels`, { labels: [label.id] });
    await world.finish();
    expect(await world.runs()).toEqual(["pull_request waiting"]);
    await world.push({ ...on("{pull_request: {types: [labeled, synchronize]}}") }, { branch: "dev" });
    expect(await world.runs()).toEqual(["pull_request waiting", "pull_request cancelled"]);
    await world.json("DELETE", `issues/${number}/labels/${label.id}`);
    await world.json("POST", `issues/${number}/labels`, { labels: [label.id] });
    await world.finish();
    expect((await world.runs()).length).toBeGreaterThan(2);
  });

  it("of a stranger's fork waits for approval, the next one doesn't (semantics §64.6-7)", async () => {
    await world.push(on("pull_request"));
    const { stranger, api } = world;
    const fork = { as: stranger, body: { name: `fork-${world.name}` } };
    expect((await api.call("POST", `/repos/olga/${world.name}/forks`, fork)).status).toBe(202);
    await pushFiles(api, stranger, `fork-${world.name}`, { files: change, branch: "dev", from: "main" });
    await world.finish();
    await open(`sten:dev`, stranger);
    const run = await world.newest();
    expect([run.event, run.status, run.needs_approval]).toEqual(["pull_request", "blocked", true]);
    expect(await world.work()).toBeUndefined();
    expect((await world.call("POST", `actions/runs/${run.id}/approve`, undefined, stranger)).status).toBe(
      403,
    );
    expect((await world.json("POST", `actions/runs/${run.id}/approve`, undefined)).status).toBe("waiting");
    expect((await world.call("POST", `actions/runs/${run.id}/approve`)).status).toBe(400);
    await pushFiles(api, stranger, `fork-${world.name}`, { files: { a: "2" }, branch: "dev" });
    await world.finish();
    const next = await world.newest();
    expect([next.id === run.id, next.status, next.needs_approval]).toEqual([false, "waiting", false]);
  });
});

it("issues, comments, releases, tags and the wiki start what listens in the default branch (semantics §64.2)", async () => {
  const events = "[issues, issue_comment, release, create, delete, gollum, fork]";
  await world.push(on(events));
  const { number } = await world.json("POST", "issues", { title: "one" });
  await world.json("POST", `issues/${number}/comments`, { body: "words" });
  await world.json("POST", "releases", { tag_name: "v1" });
  await world.json("DELETE", "releases/tags/v1");
  await world.json("DELETE", "tags/v1");
  await world.json("POST", "wiki/new", { title: "Home", content_base64: "d29yZHM=" });
  await world.finish();
  const started = (await branches()).map((one: string) => one.split(" ")[0]);
  expect([...new Set(started)].sort()).toEqual(
    ["create", "delete", "gollum", "issue_comment", "issues", "release"].sort(),
  );
});

it("nothing starts in a repository without Actions, or that is archived, nor by the Actions user", async () => {
  await world.push({ a: "1" });
  await world.patch({ has_actions: false });
  await world.push(on("push"));
  await world.patch({ has_actions: true });
  await world.finish();
  expect(await world.runs()).toEqual([]);
});
