import { describe, expect, it } from "vitest";
import { api, body, cost, owner, title, useIssues, where } from "./costs-world.ts";
import { addComment } from "./make.ts";

useIssues();

const contents = ["heart", "rocket"];
const reaction = () => ({ content: contents.pop() });

describe("what issues ask of the table, warm, caller and repository included", () => {
  it("POST issue, POST comment, PATCH issue, POST reaction, GET issue", async () => {
    const { id: commentId } = await addComment(api, where, 1, owner);
    const costs = {
      "POST issue": await cost("POST", "/issues", title),
      "POST comment": await cost("POST", "/issues/1/comments", () => ({ body: "words" })),
      "PATCH title": await cost("PATCH", "/issues/1", title),
      "PATCH body": await cost("PATCH", "/issues/1", body),
      "PATCH nothing": await cost("PATCH", "/issues/1", () => ({ state: "open" })),
      "PATCH comment": await cost("PATCH", `/issues/comments/${commentId}`, body),
      "POST reaction": await cost("POST", "/issues/1/reactions", reaction),
      "GET issue": await cost("GET", "/issues/1"),
    };
    expect(costs).toEqual({
      "POST issue": "4 requests, 5 read and 15 write units",
      "POST comment": "3 requests, 6 read and 16 write units",
      "PATCH title": "3 requests, 7 read and 16 write units",
      "PATCH body": "2 requests, 7 read and 12 write units",
      "PATCH nothing": "1 requests, 7 read and 0 write units",
      "PATCH comment": "4 requests, 9 read and 12 write units",
      "POST reaction": "4 requests, 7 read and 5 write units",
      "GET issue": "1 requests, 6 read and 0 write units",
    });
  });
});
