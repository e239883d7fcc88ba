import { describe, expect, it } from "vitest";
import { issuePartition } from "#core/issue/issue.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { finishJobs } from "#tests/support/jobs";
import { endedReviews } from "./ended-reviews.ts";

const { api, alice, place, get, makeReviewed, removeUser, states } = endedReviews();

describe("adminDeleteUser, of a reviewer", () => {
  it("204: what they submitted stays, nobody waits for them, and their pending review is gone", async () => {
    await removeUser(await makeReviewed("left"));
    expect(await states()).toEqual([
      ["COMMENT", "bob"],
      ["APPROVED", "Ghost"],
    ]);
    expect(await get(`${place.base}/pulls/1`)).toMatchObject({ requested_reviewers: [], review_comments: 3 });
    expect(await checkRepository(api.forge, place.baseId)).toEqual([]);
  });
});

describe("issueDelete, of a reviewed request", () => {
  it("204: its reviews and their comments go with it", async () => {
    await makeReviewed("removed");
    await api.call("DELETE", `${place.base}/issues/1`, { as: alice });
    expect((await api.call("GET", `${place.base}/pulls/1/reviews`, { as: alice })).status).toBe(404);
    await finishJobs(api);
    expect(await api.forge.table.queryAll({ pk: issuePartition(place.baseId, 1) })).toEqual([]);
    expect(await checkRepository(api.forge, place.baseId)).toEqual([]);
  });
});
