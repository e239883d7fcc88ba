import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonValue } from "#tests/support/api";
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

describe("push", () => {
  it("cancels the run before it; a group with cancel-in-progress: false waits for it (semantics §64.6-5)", async () => {
    await world.push(on("push"));
    await world.push({ a: "1" });
    expect(await world.runs()).toEqual(["push waiting", "push cancelled"]);
    const grouped = `${workflow("push")}concurrency: {group: "g-\${{ github.ref_name }}", cancel-in-progress: false}\n`;
    await world.push({ [file]: grouped });
    await world.push({ a: "2" });
    await world.push({ a: "3" });
    const [third, second] = (await world.runs()).slice(0, 2);
    expect([third, second]).toEqual(["push blocked", "push blocked"]);
    await world.work();
    await world.work();
    expect((await world.runs()).slice(0, 3)).toEqual(["push blocked", "push waiting", "push success"]);
    await world.work();
    expect((await world.runs()).slice(0, 2)).toEqual(["push waiting", "push success"]);
    await world.expectWhole();
  });

  it("fills labels in with variables", async () => {
    await world.json("POST", "actions/variables/POOL", { value: "special" });
    await world.push({ [file]: workflow("push", `runs-on: "$\{{ vars.pool }}"`) });
    const { id } = await world.newest();
    expect((await world.json("GET", `actions/runs/${id}/jobs`)).jobs[0].labels).toEqual(["special"]);
  });

  it("an event that comes twice makes one run", async () => {
    await world.push(on("push"));
    const { followPushOfWorkflows } = await import("#functions/workers/workflows/start-workflows");
    const { readPushedRefs } = await import("#core/git/store/refs/pushed-refs");
    const changes = await readPushedRefs(world.api.forge.table, world.id, 1);
    const actorId = world.owner.user.id;
    const event = {
      kind: "push",
      repositoryId: world.id,
      actorId,
      at: 0,
      version: 1,
      eventId: "ab",
    } as const;
    for (let time = 0; time < 3; time += 1) await followPushOfWorkflows(world.api.forge, event, changes);
    expect(await world.runs()).toHaveLength(2);
  });
});

describe("pull_request, approveWorkflowRun", () => {
  const change = { "README.md": "words" };
  const open = async (head = "dev", as = world.owner) => {
    const { number } = await world.json("POST", "pulls", { head, base: "main", title: "a change" }, as);
    await world.finish();
    return number;
  };

  const label = async (number: number) => {
    const { id } = await world.json("POST", "labels", { name: `bug ${number}`, color: "aabbcc" });
    await world.json("POST", `issues/${number}/labels`, { labels: [id] });
    await world.finish();
  };
  const held = async (): Promise<JsonValue> => {
    const { workflow_runs: runs } = await world.json("GET", "actions/runs");
    return runs.map(({ event, status, needs_approval }: JsonValue) => [event, status, needs_approval]);
  };
  const listening = "{pull_request: {types: [opened, labeled, synchronize]}, pull_request_review: }";

  it("of a stranger's fork waits for approval whoever labels or reviews it (semantics §64.3)", async () => {
    await world.push(change);
    const { stranger, api, name } = world;
    const fork = { as: stranger, body: { name: `fork-${name}` } };
    expect((await api.call("POST", `/repos/olga/${name}/forks`, fork)).status).toBe(202);
    const push = { files: on(listening), branch: "dev", from: "main" };
    await pushFiles(api, stranger, `fork-${name}`, push);
    await world.finish();
    const number = await open("sten:dev", stranger);
    await label(number);
    await world.json("POST", `pulls/${number}/reviews`, { event: "COMMENT", body: "hm" });
    await world.finish();
    expect(await held()).toEqual([
      ["pull_request_review", "blocked", true],
      ["pull_request", "blocked", true],
      ["pull_request", "blocked", true],
    ]);
    expect(await world.work()).toBeUndefined();
    // The owner's review was their event, and the code is the stranger's: the approval is for that.
    await world.json("POST", `actions/runs/${(await world.newest()).id}/approve`);
    await pushFiles(api, stranger, `fork-${name}`, { files: { a: "2" }, branch: "dev" });
    await world.finish();
    expect((await held())[0]).toEqual(["pull_request", "waiting", false]);
  });

  it("of a stranger's push to a writer's request waits, too (semantics §64.3)", async () => {
    await world.letWrite();
    await world.push(change);
    const { stranger, writer, api, name } = world;
    const fork = { as: stranger, body: { name: `fork-${name}` } };
    expect((await api.call("POST", `/repos/olga/${name}/forks`, fork)).status).toBe(202);
    const push = { files: on(listening), branch: "dev", from: "main" };
    await pushFiles(api, stranger, `fork-${name}`, push);
    await world.finish();
    const number = await open("sten:dev", writer);
    expect(await held()).toEqual([["pull_request", "waiting", false]]);
    await pushFiles(api, stranger, `fork-${name}`, { files: { a: "2" }, branch: "dev" });
    await world.finish();
    await label(number);
    expect((await held()).slice(0, 2)).toEqual([
      ["pull_request", "blocked", true],
      ["pull_request", "blocked", true],
    ]);
  });
});
