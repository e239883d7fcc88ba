import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issuePartition } from "#core/issue/issue.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { commitOn, makeBase, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";

let api: TestApi;
let root: Caller;
let alice: Caller;
let bob: Caller;
let base: string;
let baseId: number;

beforeAll(async () => {
  api = await makeApi();
  root = await api.makeUser({ name: "root", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

const get = async (path: string, as = alice) => (await api.call("GET", path, { as })).json;
const onLine = { path: "new.txt", body: "why", new_position: 1 };
const review = async (body: object, as: Caller) =>
  (await api.call("POST", `${base}/pulls/1/reviews`, { as, body })).json;

/** A request that bob reviewed; another user reviewed it, too, answered bob, is asked and has a pending review. */
async function makeReviewed(name: string): Promise<Caller> {
  const other = await api.makeUser({ name: `${name}-user` });
  base = await makeBase(api, alice, name);
  baseId = (await get(base)).id;
  await commitOn(api, base, "topic", "new.txt", { as: alice });
  await openPull(api, base, { as: alice });
  const { id } = await review({ event: "COMMENT", comments: [onLine] }, bob);
  const [comment] = await get(`${base}/pulls/1/reviews/${id}/comments`);
  const reply = { as: other, body: { body: "so" } };
  await api.call("POST", `${base}/pulls/1/comments/${comment.id}/replies`, reply);
  await review({ event: "APPROVED", comments: [onLine] }, other);
  await review({ event: "PENDING", comments: [onLine] }, other);
  const ask = { as: alice, body: { reviewers: [other.name] } };
  await api.call("POST", `${base}/pulls/1/requested_reviewers`, ask);
  expect(await checkRepository(api.forge, baseId)).toEqual([]);
  expect((await get(`${base}/pulls/1`)).review_comments).toBe(3);
  return other;
}

async function removeUser({ name }: Caller, query = ""): Promise<void> {
  const { status } = await api.call("DELETE", `/admin/users/${name}${query}`, { as: root });
  expect(status).toBe(204);
  api.settle();
  await finishJobs(api);
}

const states = async () =>
  (await get(`${base}/pulls/1/reviews`, root)).map((one: { state: string; user: { login: string } }) => [
    one.state,
    one.user.login,
  ]);

describe("adminDeleteUser, of a reviewer", () => {
  it("204: what they submitted stays, nobody waits for them, and their pending review is gone", async () => {
    await removeUser(await makeReviewed("left"));
    expect(await states()).toEqual([
      ["COMMENT", "bob"],
      ["APPROVED", "Ghost"],
    ]);
    expect(await get(`${base}/pulls/1`)).toMatchObject({ requested_reviewers: [], review_comments: 3 });
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });

  it("204 with purge: nothing that they wrote is left (B-14)", async () => {
    await removeUser(await makeReviewed("purged"), "?purge=true");
    expect(await states()).toEqual([["COMMENT", "bob"]]);
    expect(await get(`${base}/pulls/1`)).toMatchObject({ requested_reviewers: [], review_comments: 1 });
    const timeline = await get(`${base}/issues/1/timeline`);
    expect(timeline.filter(({ type }: { type: string }) => type === "review")).toHaveLength(1);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });
});

describe("issueDelete, of a reviewed request", () => {
  it("204: its reviews and their comments go with it", async () => {
    await makeReviewed("removed");
    await api.call("DELETE", `${base}/issues/1`, { as: alice });
    expect((await api.call("GET", `${base}/pulls/1/reviews`, { as: alice })).status).toBe(404);
    await finishJobs(api);
    expect(await api.forge.table.queryAll({ pk: issuePartition(baseId, 1) })).toEqual([]);
    expect(await checkRepository(api.forge, baseId)).toEqual([]);
  });
});

describe("repoTransfer, of a repository with a team that is asked", () => {
  it("the team is no longer asked, and keeps no merge waiting", async () => {
    await api.call("POST", "/orgs", { as: alice, body: { username: "acme" } });
    const team = { name: "readers", permission: "read", units: ["repo.code", "repo.pulls"] };
    await api.call("POST", "/orgs/acme/teams", { as: alice, body: team });
    await api.call("POST", "/orgs/acme/repos", { as: alice, body: { name: "moving", auto_init: true } });
    await commitOn(api, "/repos/acme/moving", "topic", "new.txt", { as: alice });
    await openPull(api, "/repos/acme/moving", { as: alice });
    const asking = { as: alice, body: { team_reviewers: ["readers"] } };
    const asked = await api.call("POST", "/repos/acme/moving/pulls/1/requested_reviewers", asking);
    expect(asked.json).toMatchObject([{ team: { name: "readers" } }]);
    await api.call("POST", "/repos/acme/moving/transfer", { as: alice, body: { new_owner: "alice" } });
    await finishJobs(api);
    expect(await get("/repos/alice/moving/pulls/1")).toMatchObject({ requested_reviewers_teams: [] });
    expect(await get("/repos/alice/moving/pulls/1/reviews")).toMatchObject([{ team: null, user: null }]);
  });
});
