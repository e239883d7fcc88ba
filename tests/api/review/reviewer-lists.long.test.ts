import { describe, expect, it } from "vitest";
import { measured } from "#tests/support/measured";
import { askedReviewers } from "./asked-reviewers.ts";

const { base, api, bob, carol, review } = askedReviewers();

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
