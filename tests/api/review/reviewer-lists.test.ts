import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { commitOn, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { measured } from "#tests/support/measured";

const base = "/repos/acme/tools";
let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let baseId: number;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
  await post("/orgs", { username: "acme" });
  const made = await post("/orgs/acme/repos", { name: "tools", auto_init: true });
  baseId = made.id;
  for (const head of ["one", "two", "three"]) {
    await commitOn(api, base, head, `${head}.txt`, { as: alice });
    await openPull(api, base, { as: alice, head, title: head });
  }
  await post(`${base}/issues`, { title: "an issue" });
});
afterAll(() => api.stop());

const post = async (path: string, body: object, as = alice) =>
  (await api.call("POST", path, { as, body })).json;

/** The titles found, and the total. */
async function find(query: string, as: Caller): Promise<[string[], string | null]> {
  const { json, headers } = await api.call("GET", `/repos/issues/search?state=all&${query}`, { as });
  return [json.map(({ title }: { title: string }) => title), headers.get("x-total-count")];
}
const review = (number: number, body: object, as: Caller) =>
  post(`${base}/pulls/${number}/reviews`, body, as);
const ask = (number: number, body: object) => post(`${base}/pulls/${number}/requested_reviewers`, body);
const isSound = async () => expect(await checkRepository(api.forge, baseId)).toEqual([]);

describe("issueSearchIssues, by the caller's reviews (semantics §53.1)", () => {
  it("200 review_requested: those that the caller is asked for, until they answer or are no longer asked", async () => {
    await ask(1, { reviewers: ["bob"] });
    await ask(2, { reviewers: ["bob", "carol"] });
    expect(await find("review_requested=true", bob)).toEqual([["two", "one"], "2"]);
    expect(await find("review_requested=true&limit=1&page=2&type=pulls", bob)).toEqual([["one"], "2"]);
    expect(await find("review_requested=true&type=issues", bob)).toEqual([[], "0"]);
    expect(await find("review_requested=true&created=true", bob)).toEqual([[], "0"]);
    expect(await find("review_requested=true&q=two", bob)).toEqual([["two"], "1"]);
    await review(1, { event: "APPROVED" }, bob);
    const body = { reviewers: ["bob"] };
    await api.call("DELETE", `${base}/pulls/2/requested_reviewers`, { as: bob, body });
    expect(await find("review_requested=true", bob)).toEqual([[], "0"]);
    expect(await find("review_requested=true", carol)).toEqual([["two"], "1"]);
    await isSound();
  });

  it("200 reviewed: those that the caller said something of which others see, until that is gone", async () => {
    const { id } = await review(3, { event: "PENDING", body: "wait" }, bob);
    expect(await find("reviewed=true", bob)).toEqual([["one"], "1"]);
    await post(`${base}/pulls/3/reviews/${id}`, { event: "COMMENT", body: "so" }, bob);
    expect(await find("reviewed=true", bob)).toEqual([["three", "one"], "2"]);
    await api.call("DELETE", `${base}/pulls/3/reviews/${id}`, { as: bob });
    expect(await find("reviewed=true", bob)).toEqual([["one"], "1"]);
    await isSound();
  });

  it("200 review_requested: the teams' requests, too, until a team is deleted or the request is", async () => {
    const teams: number[] = [];
    for (const name of ["readers", "others"]) {
      const team = { name, permission: "read", units: ["repo.code", "repo.pulls"] };
      const { id } = await post("/orgs/acme/teams", team);
      teams.push(id);
      await api.call("PUT", `/teams/${id}/members/carol`, { as: alice });
    }
    await ask(3, { team_reviewers: ["readers", "others"] });
    await ask(1, { team_reviewers: ["readers"] });
    expect(await find("review_requested=true", carol)).toEqual([["three", "two", "one"], "3"]);
    await api.call("DELETE", `/teams/${teams[0]}`, { as: alice });
    await finishJobs(api);
    expect(await find("review_requested=true", carol)).toEqual([["three", "two"], "2"]);
    const { json } = await api.call("GET", `${base}/pulls/1/reviews`, { as: alice });
    expect(json.map(({ state }: { state: string }) => state)).toEqual(["APPROVED"]);
    await isSound();
    await api.call("DELETE", `${base}/issues/3`, { as: alice });
    await finishJobs(api);
    expect(await find("review_requested=true", carol)).toEqual([["two"], "1"]);
    const rows = await api.forge.table.queryAll({ pk: `TEAM#${teams[1]}`, prefix: "ASKED#" });
    expect(rows).toEqual([]);
    await isSound();
  });
});

describe("repoCreatePullReview, beside many long reviews", () => {
  it("reads as many units with 40 texts of 60 KB as with none", async () => {
    const comment = (body: string) => () => review(2, { event: "COMMENT", body }, carol);
    await comment("first")();
    const before = (await measured(comment("short"))).usage.tableReadUnits;
    for (let at = 0; at < 40; at += 1) await comment("x".repeat(60_000))();
    const after = (await measured(comment("short"))).usage.tableReadUnits;
    expect(after - before).toBeLessThan(15);
    const { json } = await api.call("GET", `${base}/pulls/2/reviews?limit=3`, { as: bob });
    expect(json.map(({ body }: { body: string }) => body.length)).toEqual([5, 5, 60_000]);
  });
});
