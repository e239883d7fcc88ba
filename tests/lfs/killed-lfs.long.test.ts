import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endSomeLfsObjects } from "#core/lfs/end";
import { shareWithFork } from "#core/lfs/fork";
import { type LfsSources, lfsHoldersOfFile, lfsSourcesKey } from "#core/lfs/lfs.table";
import { linkUploaded } from "#core/lfs/link";
import { sweepLfs } from "#core/lfs/sweep";
import { openLfsUpload } from "#core/lfs/upload";
import { tick } from "#functions/workers/tick";
import { pushFiles } from "#tests/support/code";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { type LfsWorld, named, startLfs } from "./world.ts";

let world: LfsWorld;
beforeAll(async () => {
  world = await startLfs();
  await world.api.makeUser({ isAdmin: true });
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const forge = () => world.api.forge;
const day = 86_400_000;
/** All that lies about is swept; then nothing is wrong, and each file is that of an object. */
async function expectWhole(): Promise<void> {
  await finishJobs(world.api);
  for (const _round of [1, 2, 3]) {
    world.api.clock.advance(2 * day);
    await tick(world.api.forge);
  }
  expect(await findingsOf(world.api)).toEqual([]);
  const held = await Promise.all((await world.files()).map((file) => isNamed(file)));
  expect(held).not.toContain(false);
}
const isNamed = async (file: string): Promise<boolean> => {
  const [, uploadId = "", oid = ""] = file.split("/");
  const holders = await world.api.forge.table.queryAll(lfsHoldersOfFile({ oid, uploadId }));
  return holders.length > 0;
};
/** Nothing that a reader would notice half-done: an object, its row, its bytes on the card and in the totals. */
const expectConsistent = async () => {
  const found = await findingsOf(world.api);
  expect(found.filter(({ invariant }) => [18, 42, 44].includes(invariant))).toEqual([]);
};

describe("a process that is killed at any write", () => {
  it("of an upload leaves the object or none; the upload repeated brings it", async () => {
    const content = (round: number) => `upload ${world.id} ${round}`;
    const writes = await killedAtEach(
      world.api,
      (round) => world.upload(content(round)),
      async (round) => {
        await expectConsistent();
        const { oid } = await world.upload(content(round)).catch(() => named(content(round)));
        expect(await world.objects()).toContain(oid);
      },
    );
    expect(writes).toBeGreaterThan(3);
    await expectWhole();
  });

  it("of a verification of what lies in S3 leaves the object or none; the client asks again", async () => {
    const { forge } = world.api;
    const files = new Map<number, { oid: string; uploadId: string; sizeBytes: number }>();
    for (let round = 0; round < 12; round += 1) {
      const { oid, size: sizeBytes } = named(`verified ${world.id} ${round}`);
      const uploadId = await openLfsUpload(forge, world.id);
      await forge.blobs.put(`lfs/${uploadId}/${oid}`, Buffer.from(`verified ${world.id} ${round}`));
      files.set(round, { oid, uploadId, sizeBytes });
    }
    const verify = async (round: number) => {
      const file = files.get(round);
      if (file === undefined) throw new Error("too many rounds");
      expect(await linkUploaded(forge, world.id, file)).toBe(true);
    };
    await killedAtEach(world.api, verify, async (round) => {
      await expectConsistent();
      await verify(round);
      expect(await world.objects()).toContain(files.get(round)?.oid);
    });
    await expectWhole();
  });

  it("of a deletion's part, and of the sweep after it, leaves nothing in the end", async () => {
    const { forge } = world.api;
    const before = await world.files();
    const gone: number[] = [];
    for (let repositories = 0; repositories < 12; repositories += 1) {
      await world.begin();
      await world.upload(`deleted ${world.id}`);
      const shared = named("in all of them");
      if ("actions" in (await world.one("upload", shared))) await world.upload("in all of them");
      await world.api.call("DELETE", `/repos/alice/${world.name}`, { as: world.alice });
      gone.push(world.id);
    }
    const writes = await killedAtEach(
      world.api,
      (round) => endSomeLfsObjects(forge, gone[round - 2] ?? 0),
      async (round) => expect(gone[round - 2]).toBeDefined(),
    );
    expect(writes).toBeGreaterThan(2);
    await finishJobs(world.api);
    world.api.clock.advance(3 * day);
    const sweeps = await killedAtEach(
      world.api,
      () => sweepLfs(forge),
      async () => undefined,
    );
    expect(sweeps).toBeGreaterThan(2);
    await expectWhole();
    expect((await world.files()).sort()).toEqual(before.sort());
  });

  it("of a fork, and of the job that gives it its objects, leaves all of them or no fork", async () => {
    const source = world.name;
    await pushFiles(world.api, world.alice, source, { files: { f: "1" } });
    const object = await world.upload(`forked ${world.id}`);
    const place = (round: number) => `bob/f${world.id}-${round}`;
    const isWhole = async (round: number) => {
      const { status } = await world.api.call("GET", `/repos/${place(round)}`, { as: world.bob });
      if (status !== 200) return false;
      expect((await world.one("download", object, world.bob, place(round))).error).toBeUndefined();
      return true;
    };
    const fork = (round: number) =>
      world.api.call("POST", `/repos/alice/${source}/forks`, {
        ...{ as: world.bob, body: { name: `f${world.id}-${round}` } },
      });
    await killedAtEach(world.api, fork, async (round) => {
      if (await isWhole(round)) {
        await world.api.call("DELETE", `/repos/${place(round)}`, { as: world.bob }); // one fork for each user
      }
    });
    await finishJobs(world.api);
    const { json } = await fork(0);
    await killedAtEach(
      world.api,
      async () => {
        const sources = await forge().table.get<LfsSources>(lfsSourcesKey(json.id));
        if (sources !== undefined) await shareWithFork.step(forge(), { forkId: json.id }, undefined);
        await shareWithFork.step(forge(), { forkId: json.id }, { source: 1 });
      },
      async () => expect(await isWhole(0)).toBe(true),
    );
    expect(await world.objects(json.id)).toEqual([object.oid]);
    await expectWhole();
    expect((await world.one("download", object)).error).toBeUndefined();
  });
});
