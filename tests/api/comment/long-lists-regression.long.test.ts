import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { addComment, openIssue, tableRequests } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";

/** Each comment has the largest size: the list of an issue must still be bounded. */
const text = "\u4e00".repeat(65_000);
const count = 60;
let api: TestApi;
let owner: Caller;
let where: TestRepository;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({});
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner);
  for (let at = 1; at <= count; at += 1) await addComment(api, where, 1, owner, `${at} ${text}`);
});
afterAll(() => api.stop());

const list = (query = "") => api.call("GET", `${where.path}/issues/1/comments${query}`, { as: owner });
const numbers = ({ json }: ApiAnswer): number[] =>
  json.map(({ body }: { body: string }) => Number.parseInt(body, 10));
const nextOf = ({ headers }: ApiAnswer) =>
  /<[^>]*(\?[^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];

describe("issueGetComments", () => {
  it("D-BIGBODY: 200: stops at 4 MB and goes on with Link: next, until every comment was shown once", async () => {
    const first = await list();
    expect(Buffer.byteLength(first.text)).toBeLessThan(5 * 2 ** 20);
    expect(first.headers.get("x-total-count")).toBe(String(count));
    const shown = numbers(first);
    for (let query = nextOf(first), page = 2; shown.length < count; page += 1) {
      const answer = await list(query);
      shown.push(...numbers(answer));
      query = query?.replace(/page=\d+/, `page=${page + 1}`);
    }
    expect(shown).toEqual(Array.from({ length: count }, (_, at) => at + 1));
  });

  it("200: a page is read as far as itself, with the total of all", async () => {
    const early = await list("?limit=2");
    expect([numbers(early), early.headers.get("x-total-count")]).toEqual([[1, 2], String(count)]);
    expect(tableRequests(early)).toBe(1 + 2); // caller and repository; the issue, the beginning of its timeline
    const late = await list("?limit=2&page=20");
    expect([numbers(late), nextOf(late)]).toEqual([[39, 40], expect.stringContaining("limit=2&page=21")]);
    expect(numbers(await list("?limit=2&page=99"))).toEqual([]);
  });

  it("200: a filter counts what fits all the way, and shows one page of it", async () => {
    const answer = await list("?since=2000-01-01T00:00:00Z&limit=1&page=3");
    expect([numbers(answer), answer.headers.get("x-total-count")]).toEqual([[3], String(count)]);
  });
});
