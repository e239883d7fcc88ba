import { afterAll, beforeAll, expect, it } from "vitest";
import { repairFindings } from "#core/lifecycle/check/check";
import { type SizedThing, sizedThingKey, sizedThingsOf, usageKey } from "#core/quota/quota.table";
import { keyOf, put, remove, type TableKey, update } from "#core/table/write";
import { sendFile } from "#tests/api/attachment/make";
import { sizesOf } from "#tests/api/quota/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { findingsAcross, findingsOf } from "#tests/support/findings";

let api: TestApi;
let alice: Caller;
let repositoryId: number;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice", isAdmin: true });
  repositoryId = await makeRepository(api, alice, "counted");
  await pushFiles(api, alice, "counted", { files: { f: "1" } });
  await api.call("POST", "/repos/alice/counted/issues", { as: alice, body: { title: "An issue" } });
  await sendFile(api, "/repos/alice/counted/issues/1/assets", alice, { bytes: "0123456789" });
});
afterAll(() => api.stop());

const used = () => sizesOf(api, alice);
const parts: Readonly<Record<string, (key: TableKey) => Promise<unknown>>> = {
  "that counts too much": (key) => api.forge.table.write(update(key, { add: { issueAttachments: 7 } })),
  "that counts below nothing": (key) => api.forge.table.write(update(key, { add: { packages: -7 } })),
  "that is missing": (key) => api.forge.table.removeAll([key]),
};

it.each(Object.entries(parts))(
  "check-data finds and mends a part of totals %s (QM-2)",
  async (_what, spoil) => {
    const before = await used();
    await spoil(usageKey(alice.user.id, repositoryId));
    expect(await used()).not.toEqual(before);
    const found = await findingsAcross(api);
    expect(found.map(({ invariant }) => invariant)).toEqual([44]);
    for (const _time of [1, 2]) await repairFindings(api.forge, found);
    expect(await used()).toEqual(before);
    expect(await findingsAcross(api)).toEqual([]);
  },
);

it("check-data finds and removes totals of nobody, and counts where there is nothing to count", async () => {
  await api.forge.table.write(update(usageKey(999, 1), { add: { lfs: 5, changes: 1 }, setOnce: { _v: 1 } }));
  const other = usageKey(alice.user.id, repositoryId + 1);
  await api.forge.table.write(update(other, { add: { lfs: 5, changes: 1 }, setOnce: { _v: 1 } }));
  const found = await findingsAcross(api);
  expect(found.map(({ invariant }) => invariant)).toEqual([44, 44]);
  await repairFindings(api.forge, found);
  expect(await findingsAcross(api)).toEqual([]);
  expect(await api.forge.table.get(usageKey(999, 1))).toBeUndefined();
});

it("check-data leaves totals alone that a push has moved after the look, and mends them at the next", async () => {
  const key = usageKey(alice.user.id, repositoryId);
  const before = await used();
  await api.forge.table.write(update(key, { add: { lfs: 3 } }));
  const found = await findingsOf(api);
  await pushFiles(api, alice, "counted", { files: { g: "2" } });
  await repairFindings(api.forge, found);
  await repairFindings(api.forge, await findingsOf(api));
  expect((await used()).git.LFS).toBe(0);
  expect((await used()).repos.public).toBeGreaterThan(before.repos.public);
  expect(await findingsOf(api)).toEqual([]);
});

it("check-data finds and mends a row by size that is missing, of another size, or of nothing (semantics §18.4)", async () => {
  const { table } = api.forge;
  const [row] = await table.queryAll<SizedThing>(sizedThingsOf(repositoryId, "attachments"));
  if (row === undefined) throw new Error("no row");
  const listed = async () => (await api.call("GET", "/user/quota/attachments", { as: alice })).json;
  const before = await listed();
  await table.write(remove(keyOf(put(row))));
  for (const wrong of [
    { id: row.id, sizeBytes: 11 },
    { id: 999, sizeBytes: 10 },
  ]) {
    await table.write(put({ ...sizedThingKey(repositoryId, "attachments", wrong), ...wrong, _v: 1 }));
  }
  const found = await findingsOf(api);
  expect(found.map(({ invariant }) => invariant)).toEqual([43, 43, 43]);
  await repairFindings(api.forge, found);
  expect(await findingsOf(api)).toEqual([]);
  expect(await listed()).toEqual(before);
});
