import { describe, expect, it } from "vitest";
import { finishJobs } from "#tests/support/jobs";
import { askedReviewers } from "./asked-reviewers.ts";

const { base, api, alice, bob, carol, post, find, review, ask, isSound } = askedReviewers();

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
