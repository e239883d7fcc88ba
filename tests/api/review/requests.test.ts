import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitOn, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let root: Caller;
let base: string;
let count = 0;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
  root = await api.makeUser({ name: "root", isAdmin: true });
  await api.call("PATCH", "/user/settings", { as: bob, body: { hide_email: true } });
  await api.call("POST", "/orgs", { as: alice, body: { username: "acme" } });
  for (const [name, member] of [
    ["readers", "bob"],
    ["empty", undefined],
  ] as const) {
    const body = { name, permission: "read", units: ["repo.code", "repo.pulls"] };
    const { json } = await api.call("POST", "/orgs/acme/teams", { as: alice, body });
    if (member) await api.call("PUT", `/teams/${json.id}/members/${member}`, { as: alice });
  }
});
afterAll(() => api.stop());

/** A request of alice's in a repository of the organization's, or of her own. */
async function makePull(owner = "acme", more: object = {}): Promise<void> {
  count += 1;
  const body = { name: `repo-${count}`, auto_init: true, ...more };
  await api.call("POST", owner === "acme" ? "/orgs/acme/repos" : "/user/repos", { as: alice, body });
  const repository = `/repos/${owner}/repo-${count}`;
  await commitOn(api, repository, "topic", "new.txt", { as: alice });
  await openPull(api, repository, { as: alice });
  base = `${repository}/pulls/1`;
}

const ask = (body: object, as = alice) => api.call("POST", `${base}/requested_reviewers`, { as, body });
const withdraw = (body: object, as = alice) =>
  api.call("DELETE", `${base}/requested_reviewers`, { as, body });
const pull = async () => (await api.call("GET", base, { as: alice })).json;
const review = (as: Caller, event: string) =>
  api.call("POST", `${base}/reviews`, { as, body: { event, body: "text" } });
const asked = async () => {
  const { requested_reviewers: users, requested_reviewers_teams: teams } = await pull();
  return [
    users.map(({ login }: { login: string }) => login),
    teams.map(({ name }: { name: string }) => name),
  ];
};

describe("repoCreatePullReviewRequests, repoDeletePullReviewRequests", () => {
  it("201 once for each, 204; the request and its timeline tell of them (semantics §47)", async () => {
    await makePull();
    expect(await ask({ reviewers: ["bob"] })).toMatchObject({
      status: 201,
      json: [{ state: "REQUEST_REVIEW", user: { login: "bob" }, team: null, official: false }],
    });
    expect(await ask({ reviewers: ["BOB"] })).toMatchObject({ status: 201, json: [] });
    expect(await asked()).toEqual([["bob"], []]);
    expect((await api.call("GET", `${base}/reviews`, { as: carol })).json.length).toBe(1);
    expect((await withdraw({ reviewers: ["bob"] })).status).toBe(204);
    expect((await withdraw({ reviewers: ["bob"] })).status).toBe(204);
    expect(await asked()).toEqual([[], []]);
    const { json } = await api.call("GET", `${base.replace("pulls", "issues")}/timeline`, { as: alice });
    const told = json.filter(({ type }: { type: string }) => type === "review_request");
    expect(told).toMatchObject([
      { assignee: { login: "bob" }, removed_assignee: false },
      { assignee: { login: "bob" }, removed_assignee: true },
    ]);
  });

  it.each([
    ["422: the author", { reviewers: ["alice"] }, "alice", 422],
    [
      "404: nobody of that name, and nothing of the call happens",
      { reviewers: ["bob", "none"] },
      "alice",
      404,
    ],
    ["422: an organization", { reviewers: ["acme"] }, "alice", 422],
    ["404: no team of that name", { team_reviewers: ["none"] }, "alice", 404],
    ["422: a stranger chooses", { reviewers: ["bob"] }, "carol", 422],
    ["201: a site administrator chooses", { reviewers: ["carol"] }, "root", 201],
    ["422: too many", { reviewers: Array.from({ length: 51 }, () => "bob") }, "alice", 422],
    ["404: an address that its user hides", { reviewers: ["bob@example.com"] }, "alice", 404],
  ])("%s", async (_title, body, name, status) => {
    await makePull();
    const as = { alice, carol, root }[name] as Caller;
    expect((await ask(body, as)).status).toBe(status);
    expect(await asked()).toEqual([status === 201 ? ["carol"] : [], []]);
  });

  it("a team's request ends when a member approves; an answer ends that to the user", async () => {
    await makePull();
    expect(await ask({ team_reviewers: ["readers", "empty"], reviewers: ["carol"] })).toMatchObject({
      json: [
        { user: { login: "carol" } },
        { user: null, team: { name: "readers" } },
        { user: null, team: { name: "empty" } },
      ],
    });
    expect(await asked()).toEqual([["carol"], ["readers", "empty"]]);
    await review(bob, "COMMENT");
    expect(await asked()).toEqual([["carol"], ["readers", "empty"]]);
    await review(bob, "APPROVED");
    await review(carol, "COMMENT");
    expect(await asked()).toEqual([[], ["empty"]]);
    expect((await withdraw({ team_reviewers: ["empty"] }, carol)).status).toBe(422);
    expect((await withdraw({ team_reviewers: ["empty"] })).status).toBe(204);
    expect(await asked()).toEqual([[], []]);
  });

  it("204: who is asked takes themselves off; 422 for others; teams of a user are ignored", async () => {
    await makePull("alice");
    expect(await ask({ reviewers: ["carol"], team_reviewers: ["readers"] })).toMatchObject({ status: 201 });
    expect((await withdraw({ reviewers: ["carol"] }, bob)).status).toBe(422);
    expect((await withdraw({ reviewers: ["carol"] }, carol)).status).toBe(204);
    expect(await asked()).toEqual([[], []]);
  });

  it("422 for users and teams that can't read; the request stays hidden from users who lost access", async () => {
    await makePull("acme", { private: true });
    expect((await ask({ reviewers: ["carol"] })).status).toBe(422);
    expect((await ask({ team_reviewers: ["readers"] })).status).toBe(422);
    const collaborators = `${base.replace("/pulls/1", "")}/collaborators/carol`;
    await api.call("PUT", collaborators, { as: alice, body: { permission: "read" } });
    expect((await ask({ reviewers: ["carol"] })).status).toBe(201);
    await api.call("DELETE", collaborators, { as: alice });
    expect((await review(carol, "APPROVED")).status).toBe(404);
    expect((await withdraw({ reviewers: ["carol"] })).status).toBe(204);
  });

  it("an official one takes the former verdict's weight, and its end gives it back; 403 when it is closed", async () => {
    await makePull("alice");
    const collaborators = `${base.replace("/pulls/1", "")}/collaborators/bob`;
    await api.call("PUT", collaborators, { as: alice, body: { permission: "write" } });
    const { id } = (await review(bob, "APPROVED")).json;
    const isOfficial = async () =>
      (await api.call("GET", `${base}/reviews/${id}`, { as: bob })).json.official;
    expect((await ask({ reviewers: ["bob"] })).json).toMatchObject([{ official: true }]);
    expect(await isOfficial()).toBe(false);
    await withdraw({ reviewers: ["bob"] });
    expect(await isOfficial()).toBe(true);
    await api.call("PATCH", base, { as: alice, body: { state: "closed" } });
    expect((await ask({ reviewers: ["bob"] })).status).toBe(403);
    expect((await ask({ reviewers: ["carol"] })).status).toBe(201);
  });

  it("owners of the changed files in CODEOWNERS are asked when a request opens, unless it is a draft", async () => {
    count += 1;
    const body = { name: `repo-${count}`, auto_init: true };
    await api.call("POST", "/orgs/acme/repos", { as: alice, body });
    const repository = `/repos/acme/repo-${count}`;
    const content = [
      "# who owns what",
      ".*\\.txt @bob @alice @nobody",
      "new.* @acme/readers # a team",
      "other\\.txt @root",
      "!docs/.* @carol",
      "( @root",
    ].join("\n");
    await commitOn(api, repository, "main", "docs/CODEOWNERS", { as: alice, content });
    await commitOn(api, repository, "topic", "new.txt", { as: alice });
    const opened = await openPull(api, repository, { as: alice });
    expect(opened.requested_reviewers.map(({ login }: { login: string }) => login)).toEqual(["bob", "carol"]);
    expect(opened.requested_reviewers_teams).toMatchObject([{ name: "readers" }]);
    await commitOn(api, repository, "draft", "new.txt", { as: alice });
    const draft = await openPull(api, repository, { as: alice, head: "draft", ...{ title: "WIP: d" } });
    expect(draft.requested_reviewers).toEqual([]);
  });

  it("422 for the deletion of a request as if it were a review; two at once make one", async () => {
    await makePull();
    const answers = await Promise.all([ask({ reviewers: ["carol"] }), ask({ reviewers: ["carol"] })]);
    const made = answers.flatMap(({ json }) => json);
    expect(made.length).toBe(1);
    expect((await api.call("DELETE", `${base}/reviews/${made[0].id}`, { as: carol })).status).toBe(422);
    expect((await pull()).requested_reviewers.length).toBe(1);
  });
});
