import { describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { commitOn, openPull } from "#tests/api/pull/make";
import { finishJobs } from "#tests/support/jobs";
import { endedReviews } from "./ended-reviews.ts";

const { api, alice, place, get, makeReviewed, removeUser, states } = endedReviews();

describe("adminDeleteUser, of a reviewer", () => {
  it("204 with purge: nothing that they wrote is left (B-14)", async () => {
    await removeUser(await makeReviewed("purged"), "?purge=true");
    expect(await states()).toEqual([["COMMENT", "bob"]]);
    expect(await get(`${place.base}/pulls/1`)).toMatchObject({ requested_reviewers: [], review_comments: 1 });
    const timeline = await get(`${place.base}/issues/1/timeline`);
    expect(timeline.filter(({ type }: { type: string }) => type === "review")).toHaveLength(1);
    expect(await checkRepository(api.forge, place.baseId)).toEqual([]);
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
