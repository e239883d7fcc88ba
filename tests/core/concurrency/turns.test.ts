import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { inTurn } from "#core/concurrency/turns";
import { readConfig } from "#core/config";
import type { Forge } from "#core/forge";

afterEach(() => vi.useRealTimers());

const makeForge = () => ({ config: readConfig({}) }) as Forge;

it("work on one thing follows each other in the order of asking, failed work included; other things don't wait", async () => {
  const forge = makeForge();
  const told: string[] = [];
  const work = (name: string) => async () => {
    told.push(`${name} begins`);
    await turn();
    told.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };
  const all = ["a", "b", "c"].map((name) => inTurn(forge, "thing", work(name)));
  await inTurn(forge, "other", async () => told.push("another thing"));
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const ofThing = told.filter((one) => one !== "another thing");
  expect(ofThing).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect(told.indexOf("another thing")).toBeLessThan(told.indexOf("c ends"));
});

it("a process of its own does not wait", async () => {
  let end: () => void = Boolean;
  const held = inTurn(
    makeForge(),
    "thing",
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  expect(await inTurn(makeForge(), "thing", async () => "through")).toBe("through");
  end();
  await held;
});

it("a line that moves is waited in however long one thing takes, one that stands still for five seconds is not", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const forge = makeForge();
  const told: string[] = [];
  const work = (name: string, ms: number) => () =>
    new Promise<void>((resolve) => {
      told.push(`${name} begins`);
      setTimeout(() => {
        told.push(`${name} ends`);
        resolve();
      }, ms);
    });
  const moving = ["a", "b", "c", "d"].map((name) => inTurn(forge, "thing", work(name, 3_000)));
  await vi.advanceTimersByTimeAsync(11_000);
  expect(told.join()).toBe("a begins,a ends,b begins,b ends,c begins,c ends,d begins");
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all(moving);
  const standing = [inTurn(forge, "thing", work("e", 60_000)), inTurn(forge, "thing", work("f", 1))];
  await vi.advanceTimersByTimeAsync(4_900);
  expect(told.at(-1)).toBe("e begins");
  await vi.advanceTimersByTimeAsync(200);
  expect(told.at(-1)).toBe("f ends");
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(standing);
});
