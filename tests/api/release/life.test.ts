import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
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
