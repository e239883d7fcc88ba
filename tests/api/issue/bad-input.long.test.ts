import { describe, expect, it } from "vitest";
import { api, call, owner, useIssues, where } from "./bad-input-world.ts";
import { addComment, openIssue } from "./make.ts";

useIssues();

describe("bad input of issues", () => {
  it("pages far past the end are empty with the total; pages that make no sense are the first", async () => {
    const { id } = await addComment(api, where, 1, owner, "words");
    await call("POST", "/issues/1/reactions", { content: "heart" });
    await call("POST", `/issues/comments/${id}/reactions`, { content: "heart" });
    await call("PUT", "/issues/1/subscriptions/olga");
    await call("DELETE", "/issues/1/subscriptions/olga");
    await call("PUT", "/issues/1/subscriptions/olga");
    const waiting = await openIssue(api, where, owner, { title: "waits" });
    await call("POST", `/issues/${waiting.number}/dependencies`, { index: 1 });
    await call("POST", "/labels", { name: "one", color: "abcdef" });
    await call("POST", "/milestones", { title: "one" });
    const lists = [
      ...["/issues", "/issues?state=all&sort=recentupdate", "/issues?q=first", "/issues/comments"],
      ...["/issues/1/comments", "/issues/1/timeline", "/issues/1/reactions", "/issues/1/blocks"],
      ...[
        `/issues/comments/${id}/reactions`,
        `/issues/${waiting.number}/dependencies`,
        "/labels",
        "/milestones",
      ],
      "/issues/1/subscriptions",
    ];
    for (const path of lists) {
      const list = (query: string) => call("GET", `${path}${path.includes("?") ? "&" : "?"}${query}`);
      const first = await list("limit=50");
      const total = first.headers.get("x-total-count");
      expect([first.status, first.json.length > 0, Number(total) > 0], path).toEqual([200, true, true]);
      for (const page of ["1000000", "2147483647", "9007199254740993"]) {
        const past = await list(`page=${page}`);
        expect([past.status, past.json, past.headers.get("x-total-count")], `${path} ${page}`).toEqual([
          ...[200, [], total],
        ]);
      }
      for (const page of ["0", "-1", "x", "1.5", ""]) {
        expect((await list(`page=${page}&limit=50`)).json, `${path} ${page}`).toEqual(first.json);
      }
    }
  });
});
