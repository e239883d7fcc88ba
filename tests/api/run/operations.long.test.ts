import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findRun } from "#core/actions/run/run";
import { listRuns } from "#core/actions/run/run-list";
import { type RunWorld, startRuns, workflow } from "./world.ts";

let world: RunWorld;
beforeAll(async () => {
  world = await startRuns();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const file = ".forgejo/workflows/ci.yml";

describe("DispatchWorkflow of hostile workflows (docs/limits.md)", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
  const asked = async (matrix: object) => {
    const job = { "runs-on": "docker", strategy: { matrix }, steps: [{ run: "true" }] };
    await world.push({ [file]: JSON.stringify({ on: "workflow_dispatch", jobs: { a: job } }) });
    await world.json("POST", "actions/workflows/ci.yml/dispatches", { ref: "main" });
    const { number } = (await listRuns(world.api.forge, world.id, {}, { page: 1, limit: 1 })).items[0] ?? {};
    return findRun(world.api.forge, world.id, number ?? 0);
  };

  it("fails a run whose jobs fill no item, however small the file", async () => {
    const made = await asked({ n: numbers(200), big: ["x".repeat(50_000)] });
    expect([made?.state, made?.problem]).toEqual(["failure", expect.stringContaining("131072 bytes")]);
  });

  it("keeps an empty payload of an event that is too long in bytes, and reads no file that grows so", async () => {
    await world.push({ [file]: `${workflow("issue_comment")}# ${"x".repeat(20_000)}` });
    const body = "界".repeat(65_536);
    const { number } = await world.json("POST", "issues", { title: "long", body });
    await world.json("POST", `issues/${number}/comments`, { body });
    await world.finish();
    expect(await world.runs()).toEqual(["issue_comment waiting"]);
    await world.push({
      [file]: Buffer.concat([Buffer.from(`${workflow("push")}#`), Buffer.alloc(120_000, 0xff)]),
    });
    expect((await world.runs())[0]).toBe("push failure");
  });
});
