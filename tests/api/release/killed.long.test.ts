import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { tick } from "#functions/workers/tick";
import { sendFile } from "#tests/api/attachment/make";
import type { ApiAnswer } from "#tests/support/api";
import { SimulatedCrash } from "#tests/support/faults";
import { type ReleaseWorld, startReleases } from "./world.ts";

let world: ReleaseWorld;
beforeAll(async () => {
  world = await startReleases();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const expectWhole = async () => expect(await checkRepository(world.api.forge, world.id)).toEqual([]);

/** Does something in a process that is killed before or after its n-th write; undefined when it got no answer. */
async function killedAt(
  write: number,
  when: "before" | "after",
  act: () => Promise<ApiAnswer>,
): Promise<ApiAnswer | undefined> {
  world.api.faults.crashAt(write, when);
  try {
    return await act();
  } catch (error) {
    if (error instanceof SimulatedCrash) return undefined;
    throw error;
  } finally {
    world.api.faults.recover();
  }
}

/** Each moment at which a process may be killed. */
const moments = [1, 2, 3, 4].flatMap((write) =>
  (["before", "after"] as const).map((when) => ({ write, when })),
);

describe("a process that is killed", () => {
  it("leaves a release with its tag, or neither", async () => {
    let made = 0;
    for (const { write, when } of moments) {
      const tag_name = `v${made++}`;
      await killedAt(write, when, () => world.call("POST", "releases", { tag_name }));
      const [tag, release] = [await world.tagged(tag_name), await world.open(`releases/tags/${tag_name}`)];
      expect(release.status, `${when} write ${write}`).toBe(tag === undefined ? 404 : 200);
      await expectWhole();
    }
    expect(await world.counter()).toBeGreaterThan(2);
  });

  it("leaves a draft, or what it was published as, with its tag; and a release with all of its assets, or none", async () => {
    for (const { write, when } of moments) {
      const { id } = await world.make({ tag_name: `d${when}${write}`, draft: true });
      await world.upload(id);
      await killedAt(write, when, () => world.call("PATCH", `releases/${id}`, { draft: false }));
      const { draft } = (await world.call("GET", `releases/${id}`)).json;
      expect((await world.tagged(`d${when}${write}`)) === undefined).toBe(draft);
      await killedAt(write, when, () => world.call("DELETE", `releases/${id}`));
      const left = (await world.call("GET", `releases/${id}`)).json.assets?.length ?? 0;
      expect(await world.usage(), `${when} write ${write}`).toEqual([left, 5 * left]);
      if (left > 0) await world.call("DELETE", `releases/${id}`);
      await expectWhole();
    }
  });

  it("leaves an asset, or nothing that the next day's tick does not remove", async () => {
    const { id } = await world.make({ tag_name: "v1" });
    for (const { write, when } of moments) {
      await killedAt(write, when, () => sendFile(world.api, world.assets(id), world.owner));
      const { assets } = (await world.call("GET", `releases/${id}`)).json;
      expect(await world.usage()).toEqual([assets.length, 5 * assets.length]);
    }
    world.api.clock.advance(49 * 3_600_000);
    await tick(world.api.forge);
    const [count] = await world.usage();
    expect(await world.left()).toEqual([count, count]);
    await expectWhole();
  });
});
