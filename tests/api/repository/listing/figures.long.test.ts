import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type ManyRepositories, makeManyRepositories } from "../many-repositories.ts";

/** The cost of lists on an instance of ten thousand repositories; `npm run bench search` measures their CPU. */
let api: TestApi;
let many: ManyRepositories;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  many = await makeManyRepositories(api);
}, 120_000);
afterAll(() => api.stop());

/** Requests and read units of the second of two calls, which finds the instance warm. */
async function costOf(path: string, as?: Caller): Promise<{ answer: ApiAnswer; cost: string }> {
  await api.call("GET", path, { as });
  const answer = await api.call("GET", path, { as });
  const [, cost = ""] = /table;desc="(.+?) read/.exec(answer.headers.get("server-timing") ?? "") ?? [];
  return { answer, cost };
}

describe("among 10,000 repositories", () => {
  it.each([
    ["nobody", "by name", "", 0, "4 requests, 54"],
    ["a member of 20 teams", "by name", "", 20, "8 requests, 59"],
    [
      "a member of 20 teams",
      "by update, with a keyword",
      "&q=a&sort=updated&order=desc",
      20,
      "8 requests, 59",
    ],
  ])("search shows %s a page of 50 %s", async (who, _order, query, more, expected) => {
    const as = who === "nobody" ? undefined : many.member;
    const { answer, cost } = await costOf(`/repos/search?limit=50${query}`, as);
    expect(answer.headers.get("x-total-count")).toBe(String(many.publicCount + more));
    expect([answer.json.data.length, cost]).toEqual([50, expected]);
  });

  it("a repository is got with 2 requests, whoever asks", async () => {
    expect((await costOf("/repos/alice/a-100")).cost).toBe("2 requests, 6");
    expect((await costOf("/repos/alice/a-100", many.owner)).cost).toBe("2 requests, 7");
    expect((await costOf("/repos/acme/a-200", many.member)).cost).toBe("2 requests, 11");
  });

  it.each([
    ["their own", () => many.owner, 50, "7 requests, 58"],
    ["those of 20 teams", () => many.member, 20, "7 requests, 28"],
  ])("a page of 50 by size of a user's: %s", async (_which, as, rows, expected) => {
    const { answer, cost } = await costOf("/user/repos?order_by=size&limit=50", as());
    expect([answer.json.length, cost]).toEqual([rows, expected]);
  });
});
