import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { rootKey } from "#core/git/store/refs/refs.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { forkGuardKey } from "#core/repository/repository.table";
import { remove } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { makeOrganization } from "../../organization/make.ts";

/** An owner has a fork exactly while one of their live repositories is one, however they got it. */
let api: TestApi;
let alice: Caller;
let bob: Caller;
let evelyn: Caller;
let boss: Caller;
let made = 0;
let name = "";
let id = 0;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  evelyn = await api.makeUser({ name: "evelyn" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, evelyn, "acme");
});
beforeEach(async () => {
  made += 1;
  name = `fsrc-${made}`;
  const body = { name, auto_init: true };
  const answer = await api.call("POST", "/user/repos", { as: alice, body });
  expect(answer.status).toBe(201);
  id = answer.json.id;
});
afterAll(() => api.stop());

const post = async (path: string, as: Caller, body: object = {}) =>
  (await api.call("POST", `/repos/${path}`, { as, body })).status;
const fork = (as: Caller, called: string, organization?: string) =>
  post(`alice/${name}/forks`, as, { name: called, ...defined({ organization }) });
/** Forks as bob and evelyn do, under names of their own. */
async function forkBoth(): Promise<void> {
  expect([await fork(bob, `${name}-b`), await fork(evelyn, `${name}-e`)]).toEqual([202, 202]);
}
const give = (path: string, new_owner: string) => post(`${path}/transfer`, boss, { new_owner });
const drop = async (path: string) => (await api.call("DELETE", `/repos/${path}`, { as: boss })).status;
/** The owner of the fork that a comparison with this finds; the status when there is none. */
const compared = async (whose: string, as: Caller = alice): Promise<number> =>
  (await api.call("GET", `/repos/alice/${name}/compare/main...${whose}:main`, { as })).status;
/** Whether an owner is said to have a fork: they can make none, or a comparison finds it. */
async function expectForks(as: Caller, has: boolean): Promise<void> {
  expect([as.name, await compared(as.name)]).toEqual([as.name, has ? 200 : 404]);
  if (has) expect([as.name, await fork(as, `${name}-more`)]).toEqual([as.name, 409]);
}
async function expectWhole(): Promise<void> {
  const forks = (await api.call("GET", `/repos/alice/${name}/forks`, { as: boss })).json;
  for (const one of [id, ...forks.map((row: { id: number }) => row.id)])
    expect(await checkRepository(api.forge, one)).toEqual([]);
}

describe("two forks of one repository that come to one owner by transfers (semantics §24.4, §24.6)", () => {
  it("leave the owner one when the other goes back, and its giver none meanwhile", async () => {
    await forkBoth();
    expect(await give(`bob/${name}-b`, "evelyn")).toBe(202);
    await expectForks(evelyn, true);
    await expectForks(bob, false);
    await expectWhole();
    expect(await give(`evelyn/${name}-b`, "bob")).toBe(202);
    for (const as of [bob, evelyn]) await expectForks(as, true);
    await expectWhole();
  });

  it("leave the owner the second one when the first goes on, and let its giver fork anew", async () => {
    await forkBoth();
    expect(await give(`bob/${name}-b`, "evelyn")).toBe(202);
    expect(await give(`evelyn/${name}-e`, "acme")).toBe(202);
    expect(await compared("acme")).toBe(200);
    expect(await fork(evelyn, `${name}-o`, "acme")).toBe(409);
    await expectForks(evelyn, true);
    expect(await fork(bob, `${name}-b`)).toBe(202);
    await expectForks(bob, true);
    await expectWhole();
  });

  it.each(["b", "e"])(
    "leave the owner one when one of them, %s, is deleted, and none after both",
    async (first) => {
      await forkBoth();
      expect(await give(`bob/${name}-b`, "evelyn")).toBe(202);
      expect(await drop(`evelyn/${name}-${first}`)).toBe(204);
      await expectForks(evelyn, true);
      expect(await drop(`evelyn/${name}-${first === "b" ? "e" : "b"}`)).toBe(204);
      await expectForks(evelyn, false);
      expect([await fork(evelyn, `${name}-n`), await fork(bob, `${name}-n`)]).toEqual([202, 202]);
      await expectWhole();
    },
  );

  it("may come to the owner of their parent, who made one themselves", async () => {
    expect(await fork(alice, `${name}-a`)).toBe(202);
    await forkBoth();
    expect(await give(`bob/${name}-b`, "alice")).toBe(202);
    expect(await give(`evelyn/${name}-e`, "alice")).toBe(202);
    expect(await fork(alice, `${name}-more`)).toBe(409);
    await expectForks(evelyn, false);
    expect(await give(`alice/${name}-e`, "evelyn")).toBe(202);
    expect(await fork(alice, `${name}-more`)).toBe(409);
    expect([await drop(`alice/${name}-a`), await fork(alice, `${name}-more`)]).toEqual([204, 409]);
    expect([await drop(`alice/${name}-b`), await fork(alice, `${name}-more`)]).toEqual([204, 202]);
    await expectForks(evelyn, true);
    await expectWhole();
  });

  it("may come by the owner's own leave", async () => {
    await forkBoth();
    expect(await post(`bob/${name}-b/transfer`, bob, { new_owner: "evelyn" })).toBe(201);
    for (const as of [bob, evelyn]) await expectForks(as, true);
    expect(await post(`bob/${name}-b/transfer/accept`, evelyn)).toBe(202);
    await expectForks(evelyn, true);
    await expectForks(bob, false);
    expect(await drop(`evelyn/${name}-e`)).toBe(204);
    await expectForks(evelyn, true);
    await expectWhole();
  });

  it("are independent once that is deleted, and may change hands then", async () => {
    await forkBoth();
    expect(await give(`bob/${name}-b`, "evelyn")).toBe(202);
    const [, forks] = [await drop(`alice/${name}`), [`${name}-b`, `${name}-e`]];
    for (const one of forks) {
      const { json } = await api.call("GET", `/repos/evelyn/${one}`, { as: evelyn });
      expect([json.fork, json.parent]).toEqual([false, null]);
      expect(await give(`evelyn/${one}`, "bob")).toBe(202);
      expect(await checkRepository(api.forge, json.id)).toEqual([]);
    }
    await finishJobs(api);
    expect(await drop(`bob/${name}-b`)).toBe(204);
  });

  it("are both found by their names in a comparison, the older one by its owner's", async () => {
    await forkBoth();
    expect(await give(`bob/${name}-b`, "evelyn")).toBe(202);
    const body = {
      ...{ content: Buffer.from("b").toString("base64"), message: "only here" },
      branch: "main",
    };
    const file = `/repos/evelyn/${name}-b/contents/b.txt`;
    expect((await api.call("POST", file, { as: evelyn, body })).status).toBe(201);
    const commits = async (whose: string, as: Caller | undefined = alice) => {
      const path = `/repos/alice/${name}/compare/main...${encodeURIComponent(whose)}:main`;
      const { status, json } = await api.call("GET", path, { as });
      return status === 200 ? json.total_commits : status;
    };
    expect(await commits("evelyn")).toBe(1);
    expect(await commits(`evelyn/${name}-b`)).toBe(1);
    expect(await commits(`EVELYN/${name}-E`)).toBe(0);
    expect(await commits(`evelyn/${name}`)).toBe(404);
    expect(await commits(`bob/${name}-b`)).toBe(404);
    expect(await drop(`evelyn/${name}-b`)).toBe(204);
    expect(await commits("evelyn")).toBe(0);
  });
});

describe("a fork whose ROOT was lost", () => {
  it("leaves its parent nothing when it is deleted, and its owner can fork anew", async () => {
    await forkBoth();
    const { json } = await api.call("GET", `/repos/bob/${name}-b`, { as: bob });
    await api.forge.table.write(remove(rootKey(json.id)));
    expect(await drop(`bob/${name}-b`)).toBe(204);
    await finishJobs(api);
    expect((await api.call("GET", `/repos/alice/${name}`)).json.forks_count).toBe(1);
    expect(await fork(bob, `${name}-b`)).toBe(202);
    await expectWhole();
  });
});

describe("a guard that was written before an owner could have several (one fork, its id)", () => {
  it("is told another fork beside its own, and tells it alone again", async () => {
    await forkBoth();
    const guardOf = async (who: Caller) => api.forge.table.get(forkGuardKey(id, who.user.id));
    const [before, bobs] = [await guardOf(evelyn), await guardOf(bob)];
    expect(Object.keys(before ?? {}).sort()).toEqual(["_v", "forkId", "pk", "sk"]);
    expect(await give(`bob/${name}-b`, "evelyn")).toBe(202);
    expect(await guardOf(evelyn)).toMatchObject({ forkId: bobs?.forkId, moreForkIds: [before?.forkId] });
    expect(await guardOf(bob)).toBeUndefined();
    expect(await give(`evelyn/${name}-b`, "bob")).toBe(202);
    expect([await guardOf(evelyn), await guardOf(bob)]).toEqual([before, bobs]);
  });
});

it("after all of it the whole table holds together", async () => {
  await finishJobs(api);
  expect(await findingsAtRest(api)).toEqual([]);
});
