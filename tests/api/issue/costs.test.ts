import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueIndex } from "#core/issue/issue.index";
import { compact } from "#core/list-index/internal/compaction";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { addComment, fillIssues, openIssue } from "./make.ts";

let api: TestApi;
let owner: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "olga" });
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner);
});
afterAll(() => api.stop());

const listCosts = {
  "state=open": "4 requests, 9 read and 0 write units",
  "state=closed&type=issues": "4 requests, 9 read and 0 write units",
  "state=all&page=20": "4 requests, 9 read and 0 write units",
  "labels=one,two": "4 requests, 9 read and 0 write units",
  "milestones=m": "5 requests, 9 read and 0 write units",
  "assigned_by=olga&sort=recentupdate": "6 requests, 11 read and 0 write units",
  "created_by=olga&sort=mostcomment": "6 requests, 11 read and 0 write units",
  "since=2020-01-01T00:00:00Z&sort=nearduedate": "5 requests, 10 read and 0 write units",
};

/** The table's work for the second of two such calls, caller and repository included. */
async function cost(method: string, path: string, body?: () => object): Promise<string> {
  const call = () => api.call(method, `${where.path}${path}`, { as: owner, ...(body && { body: body() }) });
  await call();
  const { status, headers, text } = await call();
  expect([200, 201], text).toContain(status);
  return headers.get("server-timing")?.match(/table;desc="([^"]*)"/)?.[1] ?? "";
}

let changed = 0;
const title = () => {
  changed += 1;
  return { title: `Title ${changed}` };
};

const body = () => ({ body: title().title });

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

  it("list 50 of 1,000, compacted, by eight filters and orders; a search comes to its last page and no further", async () => {
    const made = async (path: string, body: object) =>
      (await api.call("POST", `${where.path}${path}`, { as: owner, body })).json.id;
    const one = await made("/labels", { name: "one", color: "aabbcc" });
    const two = await made("/labels", { name: "two", color: "aabbcc" });
    const milestoneId = await made("/milestones", { title: "m" });
    await fillIssues(api, where, 1_000, (number) => ({
      ...{
        isClosed: number % 3 === 0,
        labelIds: number % 2 ? [one, two] : [one],
        assigneeIds: [owner.user.id],
      },
      ...(number % 4 ? {} : { milestoneId }),
    }));
    await compact(api.forge, issueIndex(where.repository.id));
    const costs: Record<string, string> = {};
    for (const query of Object.keys(listCosts)) costs[query] = await cost("GET", `/issues?limit=50&${query}`);
    expect(costs).toEqual(listCosts);
    // A search's last page, far down, and nothing past it, whatever its number (D-TOTAL).
    const page = async (number: number) => {
      const path = `/repos/issues/search?state=all&created_by=${owner.name}&limit=50&page=${number}`;
      const { json, headers } = await api.call("GET", path, { as: owner });
      return [json.map((row: { number: number }) => row.number), headers.get("x-total-count")];
    };
    expect(await page(20)).toEqual([Array.from({ length: 50 }, (_, place) => 51 - place), "1001"]);
    expect(await page(21)).toEqual([[1], "1001"]);
    for (const past of [22, 2 ** 31]) expect(await page(past)).toEqual([[], "1001"]);
  });
});
