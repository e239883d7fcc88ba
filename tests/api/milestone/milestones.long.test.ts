import { describe, expect, it } from "vitest";
import { openIssue } from "#tests/api/issue/make";
import { holdTimeStill } from "#tests/support/still-time";
import { api, call, create, get, owner, useMilestones, where } from "./milestones-world.ts";

useMilestones();

describe("issueGetMilestones", () => {
  it("200: pages of 30, with the total (semantics §1.11-1)", async () => {
    for (let number = 0; number < 35; number += 1) await create({ title: `m${number}` });
    const answer = await call("GET", "milestones?per_page=5");
    expect(answer.json).toHaveLength(30);
    expect(answer.headers.get("x-total-count")).toBe("35");
  });
});

describe("issueEditMilestone", () => {
  it("200: 20 edits at once all land (OP-issueEditMilestone)", async () => {
    holdTimeStill();
    const { id } = (await create({ title: "v1" })).json;
    const bodies = Array.from({ length: 20 }, (_, at) => ({ description: `Text ${at}` }));
    const answers = await Promise.all(bodies.map((body) => call("PATCH", `milestones/${id}`, body)));
    expect(answers.map(({ status, json }) => [status, json.description])).toEqual(
      bodies.map(({ description }) => [200, description]),
    );
  });
});

describe("issues of a milestone", () => {
  it("counts are exact after 12 issues were closed at once", async () => {
    holdTimeStill();
    const { id } = (await create({ title: "busy" })).json;
    for (let made = 0; made < 12; made += 1) await openIssue(api, where, owner, { milestone: id });
    const closing = Array.from({ length: 12 }, (_, at) =>
      call("PATCH", `issues/${at + 1}`, { state: "closed" }),
    );
    expect((await Promise.all(closing)).map(({ status }) => status)).toEqual(closing.map(() => 201));
    expect(await get(id)).toMatchObject({ open_issues: 0, closed_issues: 12 });
  });
});
