import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listDue } from "#core/jobs/due";
import { type LfsObject, lfsHolderKey, lfsHoldersOf, lfsObjectKey, lfsObjectsOf } from "#core/lfs/lfs.table";
import { linkUploaded } from "#core/lfs/link";
import { type LfsUploadSweep, lfsUploadSweepKind } from "#core/lfs/upload";
import { checkTable, repairFindings } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { readQuota } from "#core/quota/quota";
import { usageKey } from "#core/quota/quota.table";
import { cardKey, type RepositoryCard } from "#core/repository/repository.table";
import { remove, update } from "#core/table/write";
import { tick } from "#functions/workers/tick";
import { makeRepository, pushFiles } from "#tests/support/code";
import { findingsOf } from "#tests/support/findings";
import { finishJobs, runJobs } from "#tests/support/jobs";
import { type LfsWorld, named, startLfs } from "./world.ts";

let world: LfsWorld;
beforeAll(async () => {
  world = await startLfs();
  await world.api.makeUser({ isAdmin: true });
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const day = 86_400_000;
const jobKind = "share-lfs-objects";
const later = async (ms: number) => {
  world.api.clock.advance(ms);
  await tick(world.api.forge);
};
const call = async (method: string, path: string, body?: object, as = world.alice) => {
  const answer = await world.api.call(method, path, { as, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
};
const removeRepository = (path: string, as = world.alice) => call("DELETE", `/repos/${path}`, undefined, as);
/** Forks the repository to bob; answers the fork's id. */
const fork = async (from = `alice/${world.name}`, as = world.bob, body: object = {}): Promise<number> =>
  (await call("POST", `/repos/${from}/forks`, body, as)).id;
const fileOf = async (oid: string, repositoryId = world.id): Promise<string> => {
  const object = await world.api.forge.table.get<LfsObject>(lfsObjectKey(repositoryId, oid));
  return `lfs/${object?.uploadId}/${oid}`;
};
const findings = async (): Promise<Finding[]> => {
  const found: Finding[] = [];
  for await (const one of checkTable(world.api.forge)) found.push(one);
  return found.filter(({ invariant }) => [18, 21, 22, 42].includes(invariant));
};
const bytesThere = async (repository: string): Promise<number> => {
  const [owner = "", name = ""] = repository.split("/");
  const { id } = await call("GET", `/repos/${owner}/${name}`);
  const items = await world.api.forge.table.queryAll<LfsObject>(lfsObjectsOf(id));
  return items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
};

describe("an upload that is not finished", () => {
  it("leaves a file that goes once its time is over, and can't be verified any more", async () => {
    const { forge } = world.api;
    const content = `half-${world.id}`;
    const object = named(content);
    const { actions } = await world.one("upload", object);
    const uploadId = await openedUpload();
    const key = `lfs/${uploadId}/${object.oid}`;
    // As S3 would have it, had the client put it there and died.
    await forge.blobs.put(key, Buffer.from(content));
    await later(86_000_000);
    expect(await world.files()).toContain(key);
    await later(2 * day);
    expect(await world.files()).not.toContain(key);
    expect((await world.act(actions.verify, "POST", { body: object })).status).toBe(401);
    expect(await findings()).toEqual([]);
  });

  /** The upload that the last batch opened. */
  const openedUpload = async (): Promise<string> => {
    const due = await listDue<LfsUploadSweep>(world.api.forge, lfsUploadSweepKind);
    const found = due.find(({ repositoryId }) => repositoryId === world.id);
    if (found === undefined) throw new Error("no upload was opened");
    return found.uploadId;
  };

  it("is not named by a process that slept through its end", async () => {
    const { forge } = world.api;
    const object = named(`slept-${world.id}`);
    await world.one("upload", object);
    const uploadId = await openedUpload();
    await forge.blobs.put(`lfs/${uploadId}/${object.oid}`, Buffer.from(`slept-${world.id}`));
    await later(3 * day);
    const file = { oid: object.oid, uploadId, sizeBytes: object.size };
    expect(await linkUploaded(forge, world.id, file)).toBe(false);
    expect(await world.objects()).toEqual([]);
    await world.upload(`slept-${world.id}`);
    expect(await world.objects()).toEqual([object.oid]);
  });

  it("keeps what was finished of it", async () => {
    const object = await world.upload(`kept-${world.id}`);
    await later(3 * day);
    expect(await world.files()).toContain(await fileOf(object.oid));
  });
});

describe("a deleted repository", () => {
  it("frees its objects a day later, those alone that nobody else has", async () => {
    const [own, shared] = [await world.upload(`own-${world.id}`), await world.upload(`both-${world.id}`)];
    await makeRepository(world.api, world.alice, `second-${world.id}`);
    await world.one("upload", shared, world.alice, `alice/second-${world.id}`);
    const [ownFile, sharedFile] = [await fileOf(own.oid), await fileOf(shared.oid)];
    await world.ask("POST", "locks", { as: world.alice, body: { path: "a" } });
    await removeRepository(`alice/${world.name}`);
    await finishJobs(world.api);
    expect(await world.files()).toEqual(expect.arrayContaining([ownFile, sharedFile]));
    await later(day + 1);
    const left = await world.files();
    expect([left.includes(ownFile), left.includes(sharedFile)]).toEqual([false, true]);
    expect(await world.api.forge.table.queryAll(lfsHoldersOf(own.oid))).toEqual([]);
    const { actions } = await world.one("download", shared, world.alice, `alice/second-${world.id}`);
    expect((await world.act(actions.download, "GET")).text).toBe(`both-${world.id}`);
    expect(await findings()).toEqual([]);
  });
});

describe("a fork", () => {
  beforeEach(() => pushFiles(world.api, world.alice, world.name, { files: { f: "1" } }));

  it("has the objects of its source from the beginning, without a copy of their files", async () => {
    const object = await world.upload(`forked-${world.id}`);
    const id = await fork();
    const there = `bob/${world.name}`;
    const files = await world.files();
    const { actions } = await world.one("download", object, world.bob, there);
    expect((await world.act(actions.download, "GET")).text).toBe(`forked-${world.id}`);
    expect(await world.one("upload", object, world.bob, there)).toEqual(object);
    expect(await world.objects(id)).toEqual([]);
    await runJobs(world.api, jobKind);
    expect(await world.objects(id)).toEqual([object.oid]);
    expect(await bytesThere(there)).toBe(object.size);
    expect(await world.files()).toEqual(files);
    const after = await world.upload(`after-${world.id}`);
    expect((await world.one("download", after, world.bob, there)).error.code).toBe(404);
    expect(await findings()).toEqual([]);
  });

  it("keeps them when its source is deleted, before or after its job", async () => {
    const object = await world.upload(`outlives-${world.id}`);
    const id = await fork();
    await removeRepository(`alice/${world.name}`);
    await runJobs(world.api, "empty-repository");
    expect(await world.objects(id)).toEqual([object.oid]);
    await finishJobs(world.api);
    await later(2 * day);
    const { actions } = await world.one("download", object, world.bob, `bob/${world.name}`);
    expect((await world.act(actions.download, "GET")).text).toBe(`outlives-${world.id}`);
    expect(await findings()).toEqual([]);
  });

  it("of a fork that waits itself has all of them, too", async () => {
    const object = await world.upload(`handed-on-${world.id}`);
    const first = await fork();
    const carol = await world.api.makeUser({});
    const second = await fork(`bob/${world.name}`, carol);
    expect((await world.one("download", object, carol, `${carol.name}/${world.name}`)).error).toBeUndefined();
    await finishJobs(world.api);
    expect([await world.objects(first), await world.objects(second)]).toEqual([[object.oid], [object.oid]]);
    expect(await findings()).toEqual([]);
  });

  it("that is deleted while it waits leaves nothing at its source", async () => {
    await world.upload(`left-${world.id}`);
    await fork();
    await removeRepository(`bob/${world.name}`, world.bob);
    await finishJobs(world.api);
    expect(await findings()).toEqual([]);
  });
});

describe("a transferred, renamed or hidden repository", () => {
  it("keeps its objects and its count, under its new name; the old one leads there", async () => {
    const object = await world.upload(`moved-${world.id}`);
    const { actions } = await world.one("download", object);
    await call("PATCH", `/repos/alice/${world.name}`, { name: `${world.name}-renamed` });
    expect((await world.act(actions.download, "GET")).text).toBe(`moved-${world.id}`);
    const team = await call("POST", "/orgs", { username: `org-${world.id}` });
    await call("POST", `/repos/alice/${world.name}-renamed/transfer`, { new_owner: team.username });
    await finishJobs(world.api);
    expect((await world.act(actions.download, "GET")).status).toBe(200);
    const there = `${team.username}/${world.name}-renamed`;
    const { actions: now } = await world.one("download", object, world.alice, there);
    expect(now.download.href).toContain(`/${there}.git/`);
    await call("PATCH", `/repos/${there}`, { private: true });
    expect((await world.batch("download", [object], world.bob, there)).status).toBe(404);
    expect(await findings()).toEqual([]);
  });
});

describe("check-data", () => {
  it("finds and mends rows, files, counts and guards that contradict each other", async () => {
    const { table, blobs } = world.api.forge;
    const [rowless, fileless] = [
      await world.upload(`rowless-${world.id}`),
      await world.upload(`fileless-${world.id}`),
    ];
    const object = (await table.get<LfsObject>(lfsObjectKey(world.id, rowless.oid))) as LfsObject;
    await table.removeAll([lfsHolderKey(object, world.id)]);
    await blobs.remove([await fileOf(fileless.oid)]);
    await world.ask("POST", "locks", { as: world.alice, body: { path: "a" } });
    const [guard] = await table.queryAll({ pk: `R#${world.id}#LOCK`, prefix: "P#" });
    if (guard === undefined) throw new Error("no guard");
    await table.write(remove(guard));
    await table.write(update({ pk: `R#${world.id}#LOCK`, sk: "P#stray" }, { set: { id: 1, _v: 1 } }));
    const found = await findings();
    expect(found.map(({ invariant }) => invariant).sort()).toEqual([21, 42, 42, 42]);
    const report = await repairFindings(world.api.forge, found);
    expect([report.mended, report.left, report.failed]).toEqual([4, [], []]);
    expect(await findings()).toEqual([]);
    expect((await world.one("upload", fileless)).actions.upload.href).toContain(fileless.oid);
    expect((await world.one("download", rowless)).actions.download.href).toContain(rowless.oid);
  });

  it("sets a wrong card and the owner's totals to what is there, once, however often it is repeated", async () => {
    const { table } = world.api.forge;
    const { size } = await world.upload(`counted-${world.id}`);
    const lost = await world.upload(`lost-${world.id}`);
    const key = cardKey(world.alice.user.id, world.id);
    const counted = async () => (await table.get<RepositoryCard>(key))?.lfsBytes;
    const used = async () => (await readQuota(world.api.forge, world.alice.user.id)).usage.lfs;
    const before = await used();
    await table.write(update(key, { add: { lfsBytes: 1_000, v: 1 } }));
    await world.api.forge.blobs.remove([await fileOf(lost.oid)]);
    const found = await findingsOf(world.api);
    expect(found.map(({ invariant }) => invariant).sort()).toEqual([18, 21, 44]);
    for (const _time of [1, 2]) await repairFindings(world.api.forge, found);
    expect([await counted(), await used()]).toEqual([size, before - lost.size]);
    expect(await findings()).toEqual([]);
    await table.write(update(key, { set: { lfsBytes: 0 }, add: { v: 1 } }));
    await table.write(update(usageKey(world.alice.user.id, world.id), { add: { lfs: -size } }));
    // Card and totals agree on what is wrong: one repair mends both.
    await repairFindings(world.api.forge, await findingsOf(world.api));
    expect([await counted(), await used()]).toEqual([size, before - lost.size]);
    expect(await findingsOf(world.api)).toEqual([]);
  });

  it("leaves a card alone to which an upload came after the look", async () => {
    const { table } = world.api.forge;
    const first = await world.upload(`first-${world.id}`);
    const key = cardKey(world.alice.user.id, world.id);
    await table.write(update(key, { add: { lfsBytes: 5, v: 1 } }));
    const found = await findings();
    const second = await world.upload(`second-${world.id}`);
    expect((await repairFindings(world.api.forge, found)).outdated).toBe(1);
    const card = await table.get<RepositoryCard>(key);
    expect(card?.lfsBytes).toBe(first.size + second.size + 5);
    await repairFindings(world.api.forge, await findings());
    expect((await table.get<RepositoryCard>(key))?.lfsBytes).toBe(first.size + second.size);
  });
});

describe("lists of repositories by lfs_size", () => {
  const listed = async () => {
    const { data } = await call("GET", `/repos/search?uid=${world.bob.user.id}&sort=lfs_size&order=desc`);
    return data.map(({ name }: { name: string }) => name);
  };

  it("know of an upload that no push followed, and of the objects of a fork", async () => {
    const small = `small-${world.id}`;
    await makeRepository(world.api, world.bob, small);
    await world.upload("s", world.bob, `bob/${small}`);
    await pushFiles(world.api, world.alice, world.name, { files: { f: "1" } });
    await world.upload(`larger than the other-${world.id}`);
    await fork();
    await finishJobs(world.api);
    await later(3 * day);
    await tick(world.api.forge);
    const order = await listed();
    expect(order.indexOf(world.name)).toBeLessThan(order.indexOf(small));
    const rest = order.slice(order.indexOf(small) + 1);
    const sizes = await Promise.all(rest.map((name: string) => bytesThere(`bob/${name}`)));
    expect(sizes.filter((bytes: number) => bytes > 1)).toEqual([]);
  });
});
