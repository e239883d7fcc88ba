import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import { type HookWorld, makeHookWorld } from "./hook-world.ts";
import { deliversOnceThough, deliversThough } from "./hooked.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterEach(() => world.test.faults.recover());
afterAll(() => world.stop());

describe("interrupted events", () => {
  it.each([
    ["before", 1],
    ...[2, 3, 4].flatMap((write) => [["before", write] as const, ["after", write] as const]),
  ] as const)("delivers once when the event worker is killed %s its write %i", (when, write) =>
    deliversOnceThough(world, when, write),
  );

  it.each([
    ["before", 1, 1],
    ["before", 2, 2],
    ["after", 2, 1],
  ] as const)(
    "delivers when the webhook worker is killed %s its write %i: %i request, one delivery id, recorded",
    (when, write, requests) => deliversThough(world, when, write, requests),
  );
});
