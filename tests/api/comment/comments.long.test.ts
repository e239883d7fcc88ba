import { describe, expect, it } from "vitest";
import { holdTimeStill } from "#tests/support/still-time";
import { openIssue, tableRequests } from "../issue/make.ts";
import { makeRepository } from "../repository/make.ts";
import { api, author, create, issue, owner, useComments } from "./comments-world.ts";

useComments();

describe("issueCreateComment", () => {
  it("201: 20 comments on one issue at once are all there and counted", async () => {
    holdTimeStill();
    const at = await makeRepository(api, owner);
    await openIssue(api, at, author);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, of) => create({ body: `${of}` }, author, at)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201));
    const listed = await api.call("GET", `${at.path}/issues/1/comments`);
    const bodies = listed.json.map((comment: { body: string }) => Number(comment.body));
    expect(new Set(bodies)).toEqual(new Set(answers.map((_, of) => of)));
    expect((await issue(at)).comments).toBe(20);
    const all = await api.call("GET", `${at.path}/issues/comments?limit=50`);
    expect([all.json.length, all.headers.get("x-total-count")]).toEqual([20, "20"]);
  });

  it("201: 8 on one issue at once are written once each, by the issue as it is when it is their turn", async () => {
    holdTimeStill();
    const at = await makeRepository(api, owner);
    await openIssue(api, at, owner);
    const many = Array.from({ length: 8 }, (_, of) => create({ body: `${of}` }, owner, at));
    const requests = (await Promise.all(many)).map(tableRequests);
    // Waiting steps: the caller, the comment's id, the issue, one transaction.
    expect(requests.filter((count) => count > 4)).toEqual([]);
  });
});
