import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { addComment, openIssue, tableRequests, withScopes } from "../issue/make.ts";
import { makeRepository, setRepository, type TestRepository } from "../repository/make.ts";

let api: TestApi;
let owner: Caller;
let reader: Caller;
let where: TestRepository;
let times: readonly string[];

/** Comments 1 to 33 on two issues in turn, a minute apart; the first is edited last; both issues are closed between. */
beforeAll(async () => {
  api = await makeApi();
  [owner, reader] = await Promise.all([api.makeUser({ name: "olga" }), api.makeUser({ name: "rita" })]);
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner);
  await openIssue(api, where, owner);
  const made = [];
  for (let at = 1; at <= 33; at += 1) {
    api.clock.advance(60_000);
    made.push(await addComment(api, where, 1 + (at % 2), at % 3 === 0 ? owner : reader, `Comment ${at}`));
    if (at === 10) {
      for (const number of [1, 2]) await edit(`/issues/${number}`, { state: "closed" });
    }
  }
  api.clock.advance(60_000);
  await edit(`/issues/comments/${made[0]?.id}`, { body: "Comment 1" + "!" });
  times = made.map((comment) => comment.created_at);
});
afterAll(() => api.stop());

const edit = (path: string, body: object) => api.call("PATCH", `${where.path}${path}`, { as: owner, body });
const ofIssue = (query = "", as?: Caller, at = where, number = 1) =>
  api.call("GET", `${at.path}/issues/${number}/comments${query}`, { as });
const ofRepository = (query = "", as?: Caller, at = where) =>
  api.call("GET", `${at.path}/issues/comments${query}`, { as });
type Answer = Awaited<ReturnType<typeof ofIssue>>;
const texts = (answer: Answer) =>
  answer.json.map((comment: { body: string }) => Number(comment.body.match(/\d+/)?.[0]));
const total = (answer: Answer) => answer.headers.get("x-total-count");
const numbers = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);

describe("issueGetComments", () => {
  it("200: all comments of the issue, oldest first, unpaged, without other entries (OP-issueGetComments)", async () => {
    const answer = await ofIssue("", undefined, where, 2);
    expect(texts(answer)).toEqual(numbers(1, 33, 2));
    expect([total(answer), answer.headers.get("link")]).toEqual(["17", null]);
    const { id } = answer.json[3] ?? {};
    expect(answer.json[3]).toEqual((await api.call("GET", `${where.path}/issues/comments/${id}`)).json);
  });

  it("200: page and limit are followed when given (D-PAGING)", async () => {
    expect(texts(await ofIssue("?limit=5&page=2"))).toEqual(numbers(12, 20, 2));
    expect(total(await ofIssue("?limit=5&page=2"))).toBe("16");
  });

  it("200: since, string and before, both ends included, on the time of the last change (D-SINCE)", async () => {
    expect(texts(await ofIssue(`?since=${times[29]}`))).toEqual([30, 32]);
    expect(texts(await ofIssue(`?string=${times[29]}`))).toEqual([30, 32]);
    expect(texts(await ofIssue(`?before=${times[3]}`))).toEqual([2, 4]);
    expect(texts(await ofIssue(`?since=${times[3]}&before=${times[5]}`))).toEqual([4, 6]);
    expect(texts(await ofIssue(`?since=${times[30]}`, undefined, where, 2))).toEqual([1, 31, 33]);
    const offset = `?since=${encodeURIComponent(times[29]?.replace("Z", "+00:00") ?? "")}`;
    expect(texts(await ofIssue(offset))).toEqual([30, 32]);
  });

  it("200: an issue without comments has an empty list", async () => {
    const { number } = await openIssue(api, where, reader);
    const answer = await ofIssue("", undefined, where, number);
    expect([answer.text, total(answer)]).toEqual(["[]", "0"]);
  });

  it("200: takes 3 requests beside those for the caller and the repository", async () => {
    expect(tableRequests(await ofIssue())).toBe(1 + 3); // the issue, its timeline, the authors but the owner
  });

  it("404: no such issue; a repository that is hidden; issues switched off", async () => {
    expect((await ofIssue("", reader, where, 99)).status).toBe(404);
    const at = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, at, owner);
    expect((await ofIssue("", reader, at)).status).toBe(404);
    expect((await ofIssue("", undefined, at)).status).toBe(404);
    await setRepository(api, at, { units: ["code", "pulls"] });
    expect((await ofIssue("", owner, at)).status).toBe(404);
  });

  it("422: a time that is none", async () => {
    for (const name of ["since", "string", "before"])
      expect((await ofIssue(`?${name}=xyz`)).status).toBe(422);
  });
});

describe("issueGetRepoComments", () => {
  it("200: comments of all issues, oldest first, 30 a page, total over all, Link (OP-issueGetRepoComments, D-PAGING)", async () => {
    const first = await ofRepository();
    expect(texts(first)).toEqual(numbers(1, 30));
    expect([total(first), first.headers.get("link")]).toEqual([
      "33",
      expect.stringMatching(/page=2>; rel="next",.*page=2>; rel="last"$/),
    ]);
    expect(texts(await ofRepository("?page=2"))).toEqual([31, 32, 33]);
    expect(texts(await ofRepository("?limit=4&page=3"))).toEqual([9, 10, 11, 12]);
    const beyond = await ofRepository("?page=9");
    expect([beyond.text, total(beyond)]).toEqual(["[]", "33"]);
  });

  it("200: since, string and before filter, with the total of what fits (D-SINCE)", async () => {
    const since = await ofRepository(`?since=${times[29]}&limit=2`);
    expect([texts(since), total(since)]).toEqual([[1, 30], "5"]);
    expect(texts(await ofRepository(`?string=${times[29]}`))).toEqual([1, 30, 31, 32, 33]);
    expect(texts(await ofRepository(`?before=${times[2]}`))).toEqual([2, 3]);
  });

  it("200: each comment names its own issue", async () => {
    const [one, two] = (await ofRepository("?limit=2")).json;
    expect(one?.issue_url).toMatch(/\/issues\/2$/);
    expect(two?.issue_url).toMatch(/\/issues\/1$/);
  });

  it("200: nothing of issues where pull requests alone are switched on; 404 with neither", async () => {
    const at = await makeRepository(api, owner);
    await openIssue(api, at, owner);
    await addComment(api, at, 1, owner);
    await setRepository(api, at, { units: ["code", "pulls"] });
    const answer = await ofRepository("", owner, at);
    expect([answer.text, total(answer)]).toEqual(["[]", "0"]);
    await setRepository(api, at, { units: ["code"] });
    expect((await ofRepository("", owner, at)).status).toBe(404);
  });

  it("403: a token without the issue scope; 404: a repository that is hidden (B-18)", async () => {
    expect((await ofRepository("", await withScopes(api, reader, ["read:user"]))).status).toBe(403);
    const at = await makeRepository(api, owner, { isPrivate: true });
    expect((await ofRepository("", reader, at)).status).toBe(404);
    expect((await ofRepository("", owner, at)).status).toBe(200);
  });

  it("422: a time that is none", async () => {
    expect((await ofRepository("?since=xyz")).status).toBe(422);
  });
});
