import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { searchIssues } from "#core/issue/listing/search";
import { createRepository } from "#core/repository/create";
import type { Repository } from "#core/repository/repository.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { openIssue } from "../make.ts";

let api: TestApi;
let owner: Caller;
/** Oldest first. */
const made: Repository[] = [];
const looked = 200;
const beyond = 3;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "olga" });
  const actor = { user: owner.user };
  for (let at = 0; at < looked + beyond; at += 1) {
    api.clock.advance(1_000);
    made.push(await createRepository(api.forge, actor, owner.user, { name: `r-${at}` }));
  }
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => api.stop());

const open = (at: number) => openIssue(api, place(at), owner, { title: `in ${at}` });
const place = (at: number) => ({ repository: made[at] as Repository, path: `/repos/olga/r-${at}` });
const search = (query = "") => api.call("GET", `/repos/issues/search${query}`, { as: owner });
const titlesOf = ({ json }: { json: { title: string }[] }) => json.map(({ title }) => title);

describe("issueSearchIssues over more than it looks into (D-TOTAL)", () => {
  it("looks into the 200 repositories that were updated last, and says so: no exact total, no last page", async () => {
    for (const at of [0, 1, 50, 100, 202]) await open(at);
    const first = await search("?limit=2");
    // Opening an issue is no update of its repository: the two oldest are left out.
    expect(titlesOf(first)).toEqual(["in 202", "in 100"]);
    const { headers } = first;
    expect([headers.get("x-total-count"), headers.get("x-total-count-exact")]).toEqual(["3", "false"]);
    expect(headers.get("link")).toMatch(/rel="next"/);
    expect(headers.get("link")).not.toMatch(/rel="last"/);
    const second = await search("?limit=2&page=2");
    expect(titlesOf(second)).toEqual(["in 50"]);
    expect(second.headers.get("link")).not.toMatch(/rel="(next|last)"/);
    expect((await search("?limit=2&page=9")).json).toEqual([]);
    // What bounds the repositories makes it exact.
    const own = await search("?created=true");
    expect([titlesOf(own).length, own.headers.get("x-total-count-exact")]).toEqual([5, null]);
  });

  it("asks the table for two requests of each repository, whatever there is beyond", async () => {
    const requests = Number(
      (await search("?limit=50&state=all")).headers.get("server-timing")?.match(/desc="(\d+) requests/)?.[1],
    );
    expect(requests).toBeLessThan(2 * looked + 40);
  });

  it("ends what takes longer than 15 s: what was found until then, with its total, and says so", async () => {
    const { forge } = api;
    let lateMs = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + lateMs);
    const queryAll: typeof forge.table.queryAll = (asked) => {
      if (/^R#\d+#DIR$/.test(asked.pk)) lateMs = 16_000;
      return forge.table.queryAll(asked);
    };
    const slow = { ...forge, table: { ...forge.table, queryAll } };
    const asked = { state: "all", order: "latest", roles: [], page: 1, limit: 50 } as const;
    const found = await searchIssues(slow, { user: owner.user }, asked);
    expect(found.isExact).toBe(false);
    expect(found.items.map(({ issue }) => issue.title)).toEqual(["in 202"]);
    expect(found.total).toBe(1);
  });
});
