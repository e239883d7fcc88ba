import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measured } from "#tests/support/measured";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld({ simulation: false });
});
afterAll(() => world.stop());

describe("what follows a push of a commit, in requests", () => {
  it("reads what several begin with once, and what was pushed here not at all from S3", async () => {
    const main = "refs/heads/main";
    const repository = await world.makeRepository();
    const files = { "a.go": "package a", "b.ts": "" };
    const [first = ""] = await world.push(repository, [{ files }], ([id = ""]) => [{ name: main, new: id }]);
    await world.runEvents();
    const commit = { files: { ...files, "c.go": "package c" }, parents: [first] };
    await world.push(repository, [commit], ([id = ""]) => [{ name: main, old: first, new: id }]);
    const { result, usage } = await measured(() => world.runEvents());
    expect(result).toEqual({ done: 1, failed: 0 });
    expect(usage.blobReads).toBe(0);
    expect(usage.tableRequests).toBe(18);
    expect(usage.operations).toMatchObject({ "dynamodb:GetItem": 1, "dynamodb:BatchGetItem": 3 });
  });
});
