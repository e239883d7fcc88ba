import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { tick } from "#functions/workers/tick";
import { sendFile } from "#tests/api/attachment/make";
import { finishJobs } from "#tests/support/jobs";
import { type ReleaseWorld, startReleases } from "./world.ts";

let world: ReleaseWorld;
beforeAll(async () => {
  world = await startReleases();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const expectWhole = async () => expect(await checkRepository(world.api.forge, world.id)).toEqual([]);

describe("releases of a repository", () => {
  it("go with it to another owner and name, with their bytes; a fork has none of them", async () => {
    const { id } = await world.make({ tag_name: "v1" });
    const { id: asset } = await world.upload(id);
    const fork = await world.api.call("POST", `${world.path}/forks`, { as: world.reader, body: {} });
    expect(fork.json.release_counter).toBe(0);
    const forkPath = `/repos/rita/${world.name}`;
    await world.api.call("PATCH", forkPath, { as: world.reader, body: { has_releases: true } });
    const forked = await world.api.call("GET", `${forkPath}/releases`, { as: world.reader });
    expect(forked.json).toEqual([]);
    const body = { new_owner: world.writer.name };
    await world.api.call("POST", `${world.path}/transfer`, { as: world.owner, body });
    await world.api.call("POST", `${world.path}/transfer/accept`, { as: world.writer });
    const path = `/repos/wim/${world.name}`;
    const found = await world.api.call("GET", `${path}/releases/${id}`, { as: world.writer });
    expect(found.json).toMatchObject({
      url: expect.stringContaining(`${path}/releases/${id}`),
      assets: [{ id: asset, browser_download_url: expect.stringContaining(`/wim/${world.name}/releases/`) }],
    });
    expect((await world.ask(found.json.assets[0].browser_download_url)).text).toBe("hello");
    expect(await world.usage(world.writer.user.id)).toEqual([1, 5]);
    const removed = await world.api.call("DELETE", `${path}/releases/${id}/assets/${asset}`, {
      as: world.writer,
    });
    expect([removed.status, await world.usage(world.writer.user.id)]).toEqual([204, [0, 0]]);
    await expectWhole();
  });

  it("show a deleted author as Ghost (semantics §43.1)", async () => {
    const leaving = await world.api.makeUser();
    await world.call("PUT", `collaborators/${leaving.name}`, { permission: "write" });
    const { id } = await world.make({ tag_name: "v1" }, leaving);
    const boss = await world.api.makeUser({ isAdmin: true });
    await world.api.call("DELETE", `/admin/users/${leaving.name}?purge=true`, { as: boss });
    await finishJobs(world.api);
    expect((await world.open(`releases/${id}`)).json.author.login).toBe("Ghost");
    await expectWhole();
  });
});

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

describe("an upload that breaks off", () => {
  it("400: half a form leaves no asset", async () => {
    const { id } = await world.make({ tag_name: "v1" });
    const half = '--b\r\nContent-Disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\nhalf';
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const answer = await world.api.call("POST", world.assets(id), { as: world.owner, raw: half, headers });
    expect(answer.status).toBe(400);
    expect([await world.usage(), await world.left()]).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});
