import { describe, expect, it } from "vitest";
import { issueIndex } from "#core/issue/issue.index";
import { compact } from "#core/list-index/internal/compaction";
import { api, cost, owner, useIssues, where } from "./costs-world.ts";
import { fillIssues } from "./make.ts";

useIssues();

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

describe("what issues ask of the table, warm, caller and repository included", () => {
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
