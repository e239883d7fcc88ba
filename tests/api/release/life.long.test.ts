import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { tick } from "#functions/workers/tick";
import { sendFile } from "#tests/api/attachment/make";
import { type ReleaseWorld, startReleases } from "./world.ts";

let world: ReleaseWorld;
beforeAll(async () => {
  world = await startReleases();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const expectWhole = async () => expect(await checkRepository(world.api.forge, world.id)).toEqual([]);

describe("requests about releases at once", () => {
  it("201 once, 409 for the others: ten that make the same tag; all of ten that make others", async () => {
    const post = (tag_name: string) => world.call("POST", "releases", { tag_name });
    const same = await Promise.all(Array.from({ length: 10 }, () => post("v1")));
    expect(same.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    const others = await Promise.all(Array.from({ length: 10 }, (_, at) => post(`w${at}`)));
    expect(others.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect([await world.counter(), (await world.tags()).length]).toEqual([11, 11]);
    await expectWhole();
  });

  it("201 for each of twenty assets; 201 or 404 while the release is deleted, and nothing is left", async () => {
    const { id } = await world.make({ tag_name: "v1" });
    const upload = (at: number) => sendFile(world.api, world.assets(id), world.owner, { name: `${at}.txt` });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => upload(at)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(await world.usage()).toEqual([20, 100]);
    const [gone, ...late] = await Promise.all([
      world.call("DELETE", `releases/${id}`),
      ...Array.from({ length: 5 }, (_, at) => upload(at)),
    ]);
    expect(gone.status).toBe(204);
    for (const { status } of late) expect([201, 404]).toContain(status);
    await tick(world.api.forge);
    world.api.clock.advance(49 * 3_600_000);
    await tick(world.api.forge);
    expect([await world.usage(), await world.left()]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    await expectWhole();
  });
});
