import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCronTasks } from "#functions/workers/cron-tasks";
import { refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { workOnMirrors } from "#tests/support/mirror-work";
import { type ImportWorld, makeImportWorld } from "./world.ts";

let world: ImportWorld;
beforeAll(async () => {
  world = await makeImportWorld();
});
afterAll(() => world.api.stop());

const day = 86_400_000;
const objects = async () => {
  const keys: string[] = [];
  for await (const { key } of world.api.forge.blobs.list("q/imports/")) keys.push(key);
  return keys;
};

describe("repoOpenImport", () => {
  it("201: with the addresses of all parts; a new one takes the place of the former", async () => {
    const place = await world.place();
    const first = await world.call("POST", place, "", { body: { size: 150 * 2 ** 20 } });
    expect(first.status).toBe(201);
    expect(first.json).toMatchObject({ status: "open", size: 150 * 2 ** 20, part_size: 64 * 2 ** 20 });
    expect(first.json.parts.map((one: { size: number }) => one.size / 2 ** 20)).toEqual([64, 64, 22]);
    expect(first.headers.get("cache-control")).toContain("no-store");
    expect((await world.call("POST", place, "", { body: { size: 9 } })).json.parts).toHaveLength(1);
    expect((await world.call("GET", place)).json.size).toBe(9);
  });

  it("201: what replaces an import frees what came of it; what still comes goes with its sweep", async () => {
    const place = await world.place();
    const held = async () => (await objects()).filter((key) => key.startsWith(`q/imports/${place.id}/`));
    const first = await world.call("POST", place, "", { body: { size: 70 * 2 ** 20 } });
    const [, last] = first.json.parts;
    expect(await world.put(last.upload_url, Buffer.alloc(last.size))).toBe(204);
    const former = await held();
    expect(former).toHaveLength(1);
    await world.upload(place, Buffer.from("other bytes"));
    const present = await held();
    expect([present.length, present.includes(former[0] ?? "")]).toEqual([1, false]);
    expect(await world.put(last.upload_url, Buffer.alloc(last.size))).toBe(204);
    expect((await held()).sort()).toEqual([...former, ...present].sort());
    world.api.clock.advance(2 * day);
    await runCronTasks(world.api.forge, ["sweep_files"]);
    expect(await held()).toEqual([]);
  });

  it("413: more than a push may bring, in words; 422: nothing", async () => {
    const place = await world.place();
    const large = await world.call("POST", place, "", { body: { size: 9 * 2 ** 30 } });
    expect([large.status, large.json.message]).toEqual([413, expect.stringMatching(/at most \d+ bytes/)]);
    expect((await world.call("POST", place, "", { body: { size: 0 } })).status).toBe(422);
  });

  it("403: a reader; 404: whom the repository is hidden from; 423: an archived one", async () => {
    const { bob, alice, api } = world;
    const open = await world.place();
    expect((await world.call("POST", open, "", { as: bob, body: { size: 9 } })).status).toBe(403);
    const hidden = await world.place({ body: { private: true } });
    expect((await world.call("POST", hidden, "", { as: bob, body: { size: 9 } })).status).toBe(404);
    await api.call("PATCH", open.path, { as: alice, body: { archived: true } });
    expect((await world.call("POST", open, "", { body: { size: 9 } })).status).toBe(423);
  });
});

describe("repoGetImport", () => {
  it("200: names the parts that have not come, and nobody else's import; 404: none", async () => {
    const { api, alice, bob } = world;
    const place = await world.place();
    await api.call("PUT", `${place.path}/collaborators/bob`, { as: alice, body: { permission: "write" } });
    await world.upload(place, await world.bundle(place.folder));
    expect((await world.call("GET", place)).json).toMatchObject({ status: "open", parts: [] });
    expect((await world.call("GET", place, "", { as: bob })).status).toBe(404);
  });
});

describe("putAnnouncedObject", () => {
  it("204 once, 409 twice, 422: another size, 404: a made-up address, and one after its hour", async () => {
    const place = await world.place();
    const opened = await world.call("POST", place, "", { body: { size: 5 } });
    const [{ upload_url: url }] = opened.json.parts;
    expect(await world.put(url, Buffer.from("1234"))).toBe(422);
    expect(await world.put(url, Buffer.from("123456"))).toBe(422);
    expect(await world.put(url, Buffer.from("12345"))).toBe(204);
    expect(await world.put(url, Buffer.from("54321"))).toBe(409);
    expect(await world.put(`${url}x`, Buffer.from("12345"))).toBe(404);
    const again = await world.call("POST", place, "", { body: { size: 5 } });
    world.api.clock.advance(3_601_000);
    expect(await world.put(again.json.parts[0].upload_url, Buffer.from("12345"))).toBe(404);
  });
});

describe("repoCompleteImport", () => {
  it("200: the bundle lands as a push does: refs, default branch, size, one event; its parts go", async () => {
    const place = await world.place();
    await git(place.folder, ["tag", "-a", "-m", "one", "v1"]);
    await git(place.folder, ["branch", "topic", "HEAD~1"]);
    const before = await objects();
    const ended = await world.bring(place, await world.bundle(place.folder));
    expect(ended).toMatchObject({ status: "done", message: "", landed: 3, refused: [], parts: [] });
    expect(await world.refs(place)).toEqual(await refsOf(place.folder));
    const { json } = await world.api.call("GET", place.path, { as: world.alice });
    expect(json).toMatchObject({ empty: false, default_branch: "main" });
    expect(await objects()).toEqual(before);
    expect((await world.complete(place)).json).toMatchObject({ status: "done", landed: 3 });
  });

  it("200: what is here already moves nothing", async () => {
    const place = await world.place();
    const bundle = await world.bundle(place.folder);
    await world.bring(place, bundle);
    expect(await world.bring(place, bundle)).toMatchObject({ status: "done", landed: 0, message: "" });
  });

  it("409: parts are missing, by their numbers; another import while one is taken in", async () => {
    const place = await world.place();
    await world.call("POST", place, "", { body: { size: 9 } });
    const missing = await world.call("POST", place, "/complete");
    expect([missing.status, missing.json.message]).toEqual([409, expect.stringMatching(/parts .*: 1$/)]);
    await world.upload(place, await world.bundle(place.folder));
    const asked = world.call("POST", place, "/complete");
    while ((await world.call("GET", place)).json.status === "open");
    for (const [method, rest] of [
      ["POST", ""],
      ["DELETE", ""],
    ] as const) {
      expect((await world.call(method, place, rest, { body: { size: 9 } })).status).toBe(409);
    }
    await workOnMirrors(world.api);
    expect((await asked).json.status).toBe("done");
  });
});

describe("repoAbandonImport", () => {
  it("204: with what came; 404: there is none", async () => {
    const place = await world.place();
    const before = await objects();
    await world.upload(place, Buffer.from("some bytes"));
    expect(await objects()).toHaveLength(before.length + 1);
    expect((await world.call("DELETE", place)).status).toBe(204);
    expect(await objects()).toEqual(before);
    expect((await world.call("DELETE", place)).status).toBe(404);
  });
});

it("the tick removes abandoned uploads after their day, and nothing younger", async () => {
  const place = await world.place();
  await world.upload(place, Buffer.from("some bytes"));
  const before = await objects();
  world.api.clock.advance(day - 60_000);
  await runCronTasks(world.api.forge, ["sweep_files"]);
  expect(await objects()).toEqual(before);
  world.api.clock.advance(day);
  await runCronTasks(world.api.forge, ["sweep_files"]);
  expect(await objects()).toEqual([]);
  expect((await world.call("GET", place)).status).toBe(404);
});
