import { expect, it } from "vitest";
import { attempts } from "#core/concurrency/attempts";

async function countOf(all: AsyncIterable<number>): Promise<number> {
  let count = 0;
  for await (const lost of all) expect(lost).toBe(count++);
  return count;
}

it("attempts end after as many as were asked for, each told how many were lost before it", async () => {
  expect(await countOf(attempts(4))).toBe(4);
});

it("nothing follows an attempt that came through", async () => {
  let made = 0;
  for await (const lost of attempts()) {
    made += 1;
    if (lost === 2) break;
  }
  expect(made).toBe(3);
});

it("of several who change the same thing all come through, however often they get in each other's way", async () => {
  let version = 0;
  const raise = async () => {
    for await (const _attempt of attempts()) {
      const read = version;
      await new Promise(setImmediate);
      if (version !== read) continue;
      version += 1;
      return;
    }
    throw new Error("lost every time");
  };
  await Promise.all(Array.from({ length: 12 }, raise));
  expect(version).toBe(12);
});
