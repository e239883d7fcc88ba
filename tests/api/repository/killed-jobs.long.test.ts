import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listJobs } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { settleTransfer } from "#core/lifecycle/after-transfer";
import { followVisibility } from "#core/repository/fork/fork-changes";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { join, makeOrganization, makeRepository, makeTeam } from "../organization/make.ts";

/** The work that a transfer and a change of visibility leave to jobs, which are killed after each of their writes. */
const kinds = { "settle-transfer": settleTransfer, "follow-visibility": followVisibility };

let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
  await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, alice, "acme");
  await makeOrganization(api, alice, "umbrella");
});
afterAll(() => api.stop());

const get = async (path: string, as = alice): Promise<JsonValue> =>
  (await api.call("GET", path, { as })).json;

/** Runs the jobs that are due, each run killed after its second write: the first takes the lease. Answers the kills. */
async function finishKilled(): Promise<number> {
  let kills = 0;
  for (let ids = await jobIds(); ids.length > 0; ids = await jobIds()) {
    for (const id of ids) {
      api.faults.crashAt(2 + (kills % 2), "after");
      await runJob(api.forge, kinds, id, { budgetMs: 60_000 }).catch(() => undefined);
      if (api.faults.hasCrashed) kills += 1;
      api.faults.recover();
      api.clock.advance(200_000);
    }
    expect(kills).toBeLessThan(100);
  }
  return kills;
}

const jobIds = async () => (await listJobs(api.forge)).map(({ id }) => id);

async function expectWhole(): Promise<void> {
  expect(await findingsAtRest(api)).toEqual([]);
}

/** An organization's repository with two collaborators, and three issues with labels of both. */
async function furnish(name: string): Promise<void> {
  await makeRepository(api, alice, "acme", name);
  for (const who of ["bob", "carol"]) {
    await api.call("PUT", `/repos/acme/${name}/collaborators/${who}`, { as: alice, body: {} });
  }
  const own = await api.call("POST", `/repos/acme/${name}/labels`, {
    as: alice,
    body: { name: "own", color: "00aabb" },
  });
  const theirs = await api.call("POST", "/orgs/acme/labels", {
    as: alice,
    body: { name: `acme-${name}`, color: "bb00aa" },
  });
  for (const title of ["one", "two", "three"]) {
    const body = { title, labels: [own.json.id, theirs.json.id] };
    const { json } = await api.call("POST", `/repos/acme/${name}/issues`, { as: alice, body });
    expect(json.labels).toHaveLength(2);
  }
}

async function expectSettled(owner: string, name: string): Promise<void> {
  const issues = await get(`/repos/${owner}/${name}/issues?state=all`);
  expect(issues.map(({ labels }: JsonValue) => labels.map((one: JsonValue) => one.name))).toEqual(
    Array(3).fill(["own"]),
  );
  expect(await get(`/repos/${owner}/${name}/issues?labels=own`)).toHaveLength(3);
}

describe("what a transfer leaves behind (semantics §24.6)", () => {
  it("labels of the former owner go from issues, without a word in their timelines; those of the repository stay", async () => {
    await furnish("plain");
    const before = await get("/repos/acme/plain/issues/1/timeline");
    const moved = await api.call("POST", "/repos/acme/plain/transfer", {
      as: alice,
      body: { new_owner: "alice" },
    });
    expect(moved.status).toBe(202);
    await finishJobs(api);
    await expectSettled("alice", "plain");
    const now = await get("/repos/alice/plain/issues/1/timeline");
    expect(now.length).toBe(before.length);
    await expectWhole();
  });

  it("is cleared up by a job that is killed after each of its writes", async () => {
    await furnish("killed");
    await join(api, alice, await makeTeam(api, alice, "umbrella", "crew"), bob);
    const moved = await api.call("POST", "/repos/acme/killed/transfer", {
      as: alice,
      body: { new_owner: "umbrella" },
    });
    expect(moved.status).toBe(202);
    expect(await finishKilled()).toBeGreaterThan(4);
    await expectSettled("umbrella", "killed");
    const collaborators = await get("/repos/umbrella/killed/collaborators");
    expect(collaborators.map(({ login }: JsonValue) => login)).toEqual(["carol"]);
    await expectWhole();
  });

  it("stays where the repository is back before the job has begun", async () => {
    await furnish("back");
    const transfer = (from: string, new_owner: string) =>
      api.call("POST", `/repos/${from}/back/transfer`, { as: alice, body: { new_owner } });
    expect((await transfer("acme", "alice")).status).toBe(202);
    expect((await transfer("alice", "acme")).status).toBe(202);
    await finishJobs(api);
    expect((await get("/repos/acme/back/issues/1")).labels).toHaveLength(2);
    await expectWhole();
  });
});

describe("forks that follow a change of visibility", () => {
  it("all do, by a job that is killed after each of its writes", async () => {
    await makeRepository(api, alice, "acme", "source");
    for (const as of [bob, carol]) {
      expect((await api.call("POST", "/repos/acme/source/forks", { as, body: {} })).status).toBe(202);
    }
    const deeper = { as: alice, body: { name: "deeper" } };
    expect((await api.call("POST", "/repos/bob/source/forks", deeper)).status).toBe(202);
    await finishJobs(api);
    await api.call("PATCH", "/repos/acme/source", { as: alice, body: { private: true } });
    expect(await finishKilled()).toBeGreaterThan(2);
    const shown = await Promise.all([
      get("/repos/bob/source", bob),
      get("/repos/carol/source", carol),
      get("/repos/alice/deeper", alice),
    ]);
    expect(shown.map((one) => one.private)).toEqual([true, true, true]);
    await expectWhole();
  });
});
