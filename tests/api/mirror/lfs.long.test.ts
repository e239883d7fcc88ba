import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lfsForkJobKind } from "#core/lfs/fork";
import { findLfsObjects } from "#core/lfs/lfs";
import { checkRepository } from "#core/lifecycle/check/check";
import { cardKey, type RepositoryCard } from "#core/repository/repository.table";
import { finishJobs, runJobs } from "#tests/support/jobs";
import { hashesOf, type LfsMirrors, pointerTo, startLfsMirrors } from "./lfs-world.ts";

let world: LfsMirrors;
beforeAll(async () => {
  world = await startLfsMirrors({ LFS_MAX_FILE_SIZE: String(40 * 2 ** 20) });
});
afterAll(() => world.stop());

const lfsBytes = async (id: number): Promise<number | undefined> => {
  const { table } = world.api.forge;
  return (await table.get<RepositoryCard>(cardKey(world.alice.user.id, id)))?.lfsBytes;
};

describe("repoMigrate with lfs (semantics §66, D-MIGRATE)", () => {
  it("201: brings the objects that commits name, small, large and empty, and counts them", async () => {
    const held = ["", "one\n", "two\n", randomBytes(17 * 2 ** 20), randomBytes(3 * 2 ** 20)];
    const source = await world.makeSource(held);
    const brought = await world.bring(source.url);
    expect(brought.state).toMatchObject({ status: "done", message: "", failures: 0 });
    expect(await world.contents(brought.id)).toEqual(hashesOf(held));
    expect(await lfsBytes(brought.id)).toBe(held.reduce((sum, one) => sum + one.length, 0));
    expect(await world.leftOver(brought.id)).toEqual([]);
    expect(await checkRepository(world.api.forge, brought.id)).toEqual([]);
  });

  it("201: without lfs no object comes, and none is asked for", async () => {
    const source = await world.makeSource(["not asked for\n"]);
    world.taken();
    const brought = await world.bring(source.url, { lfs: false });
    expect(await world.contents(brought.id)).toEqual([]);
    expect(world.taken()).toEqual([]);
  });

  it("201: what the source lacks, and what is too large, is told; the rest comes", async () => {
    const large = { oid: "b".repeat(64), sizeBytes: 10 * 2 ** 30 };
    const source = await world.makeSource(["here\n"], [pointerTo("nowhere\n"), large]);
    const brought = await world.bring(source.url);
    expect(brought.state).toMatchObject({ status: "done", failures: 0 });
    expect(brought.state.message).toMatch(/^Git LFS: 2 objects did not come, the first because /);
    expect(await world.contents(brought.id)).toEqual(hashesOf(["here\n"]));
    expect(await world.leftOver(brought.id)).toEqual([]);
  });

  it.each(["ftp://a.example/lfs", "http://10.0.0.1/lfs", "http://u:p@127.0.0.1/lfs"])(
    "422: %s as lfs_endpoint",
    async (lfs_endpoint) => {
      const body = {
        clone_addr: `${world.origin}/alice/none.git`,
        repo_name: "never",
        lfs: true,
        lfs_endpoint,
      };
      const { status, json } = await world.api.call("POST", "/repos/migrate", { as: world.alice, body });
      expect([status, json.message]).toEqual([422, expect.stringContaining("LfsEndpoint")]);
    },
  );
});

describe("repoMirrorSync of a mirror with lfs", () => {
  it("200: brings what new commits name, and nothing twice (semantics §66)", async () => {
    const source = await world.makeSource(["first\n"]);
    const mirror = await world.bring(source.url, { mirror: true });
    world.taken();
    expect((await world.sync(mirror)).message).toBe("");
    expect(world.taken()).toEqual([]);
    await world.add(source, ["second\n"]);
    await world.add(source, ["first\n"]);
    expect((await world.sync(mirror)).message).toBe("");
    const { oid } = pointerTo("second\n");
    const lfs = `/alice/${source.name}.git/info/lfs/objects`;
    expect(world.taken()).toEqual([`POST ${lfs}/batch`, `GET ${lfs}/${oid}`]);
    expect(await world.contents(mirror.id)).toEqual(hashesOf(["first\n", "second\n"]));
    expect(await checkRepository(world.api.forge, mirror.id)).toEqual([]);
  });

  it("200: an object that was missing comes with a later sync; the code came before", async () => {
    const source = await world.makeSource(["there\n"], [pointerTo("later\n")]);
    const mirror = await world.bring(source.url, { mirror: true });
    expect(mirror.state.message).toContain(pointerTo("later\n").oid);
    await world.store(source.id, "later\n");
    expect((await world.sync(mirror)).message).toBe("");
    expect(await world.contents(mirror.id)).toEqual(hashesOf(["there\n", "later\n"]));
    expect(await world.leftOver(mirror.id)).toEqual([]);
  });

  it("a fork that is made while objects are missing has them with its source, and keeps them without it", async () => {
    const { api, alice } = world;
    const bob = await api.makeUser({ name: "bob" });
    const source = await world.makeSource(["early\n"], [pointerTo("late\n")]);
    const mirror = await world.bring(source.url, { mirror: true });
    const forked = await api.call("POST", `${mirror.path}/forks`, { as: bob, body: {} });
    expect(forked.status).toBe(202);
    const fork = forked.json.id;
    const share = () => runJobs(api, lfsForkJobKind);
    await share();
    expect(await world.contents(fork)).toEqual(hashesOf(["early\n"]));
    await world.store(source.id, "late\n");
    expect((await world.sync(mirror)).message).toBe("");
    const known = await findLfsObjects(api.forge, fork, [pointerTo("late\n").oid]);
    expect(known.size).toBe(1);
    api.clock.advance(3_600_000);
    await share();
    expect(await world.contents(fork)).toEqual(hashesOf(["early\n", "late\n"]));
    expect(await world.leftOver(fork)).toEqual([]);
    expect(await checkRepository(api.forge, fork)).toEqual([]);
    await api.call("DELETE", mirror.path, { as: alice });
    await finishJobs(api);
    expect(await world.contents(fork)).toEqual(hashesOf(["early\n", "late\n"]));
  });

  it("a fork of a mirror whose source never sends an object forgets its source after a week", async () => {
    const { api } = world;
    const carol = await api.makeUser({ name: "carol" });
    const source = await world.makeSource([], [pointerTo("nowhere\n")]);
    const mirror = await world.bring(source.url, { mirror: true });
    const { json } = await api.call("POST", `${mirror.path}/forks`, { as: carol, body: {} });
    await runJobs(api, lfsForkJobKind);
    expect(await world.leftOver(json.id)).not.toEqual([]);
    for (let hour = 0; hour <= 7 * 24 + 1; hour += 1) {
      api.clock.advance(3_600_000);
      await runJobs(api, lfsForkJobKind);
    }
    expect(await world.leftOver(json.id)).toEqual([]);
    expect(await checkRepository(api.forge, json.id)).toEqual([]);
  });

  it("200: more objects than one batch names", async () => {
    const held = Array.from({ length: 12 }, (_, at) => `object ${at}\n`);
    const missing = Array.from({ length: 100 }, (_, at) => pointerTo(`missing ${at}\n`));
    const source = await world.makeSource(held, missing);
    world.taken();
    const mirror = await world.bring(source.url, { mirror: true });
    expect(mirror.state.message).toMatch(/^Git LFS: 100 objects did not come/);
    expect(await world.contents(mirror.id)).toEqual(hashesOf(held));
    expect(world.taken().filter((line) => line.endsWith("/batch"))).toHaveLength(2);
  });

  it("an ordinary repository of a mirror forgets what it wanted", async () => {
    const source = await world.makeSource([], [pointerTo("never\n")]);
    const mirror = await world.bring(source.url, { mirror: true });
    expect(await world.leftOver(mirror.id)).toHaveLength(1);
    await world.convert(mirror);
    expect(await world.leftOver(mirror.id)).toEqual([]);
    expect(await checkRepository(world.api.forge, mirror.id)).toEqual([]);
  });
});
