import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, setRepository, type TestRepository } from "../../repository/make.ts";
import { addComment, fillIssues, openIssue, tableRequests, withScopes } from "../make.ts";

let api: TestApi;
let owner: Caller;
let reader: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  [owner, reader] = await Promise.all([api.makeUser({ name: "olga" }), api.makeUser({ name: "rita" })]);
  where = await makeRepository(api, owner);
  await openIssue(api, where, reader, { title: "Issue 1" });
  const startsAt = Math.floor(api.clock.now() / 1000);
  await fillIssues(api, where, 34, (number) => {
    const at = startsAt + number;
    const isClosed = number % 7 === 0;
    const authorId = number % 5 === 0 ? owner.user.id : reader.user.id;
    return { authorId, isClosed, createdAt: at, updatedAt: at, closedAt: isClosed ? at : 0 };
  });
  api.clock.advance(60_000);
});
afterAll(() => api.stop());

const list = (query = "", as?: Caller, from = where) =>
  api.call("GET", `${from.path}/issues${query}`, { as });
const numbersOf = (answer: Awaited<ReturnType<typeof list>>) =>
  answer.json.map((issue: { number: number }) => issue.number);
const total = (answer: Awaited<ReturnType<typeof list>>) => answer.headers.get("x-total-count");
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at);

describe("issueListIssues", () => {
  it("200: open issues, newest first, 30 a page (OP-issueListIssues, LIM-2)", async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    const open = down(35, 1).filter((number) => number % 7 !== 0);
    expect(numbersOf(answer)).toEqual(open.slice(0, 30));
    expect(total(answer)).toBe("30");
    expect(answer.headers.get("link")).toBeNull();
  });

  it("200: each row is what reading it alone answers", async () => {
    const [row] = (await list("?limit=1")).json;
    expect(row).toEqual((await api.call("GET", `${where.path}/issues/${row?.number}`)).json);
  });

  it("200: state closed, all, and anything else as open (OPQ-issueListIssues.state, ST-1)", async () => {
    expect(numbersOf(await list("?state=closed"))).toEqual([35, 28, 21, 14, 7]);
    expect(total(await list("?state=all"))).toBe("35");
    expect(total(await list("?state=mine"))).toBe("30");
  });

  it("200: pages with total and Link; a page past the end is empty (OPQ-issueListIssues.page)", async () => {
    const second = await list("?state=all&limit=10&page=2");
    expect(numbersOf(second)).toEqual(down(25, 16));
    expect(total(second)).toBe("35");
    const base = `${api.forge.config.rootUrl}/api/v1${where.path}/issues?limit=10&page=`;
    const link = [3, 4, 1, 1].map((page, at) => {
      const rel = ["next", "last", "first", "prev"][at];
      return `<${base}${page}&state=all>; rel="${rel}"`;
    });
    expect(second.headers.get("link")).toBe(link.join(","));
    const beyond = await list("?state=all&page=99");
    expect([beyond.status, beyond.text, total(beyond)]).toEqual([200, "[]", "35"]);
  });

  it("200: limit over 50 is clamped, 0 and per_page are as absent (D-PAGING)", async () => {
    expect((await list("?state=all&limit=500")).json).toHaveLength(35);
    expect((await list("?state=all&limit=0")).json).toHaveLength(30);
    expect((await list("?state=all&per_page=5")).json).toHaveLength(30);
  });

  it("200: created_by, whatever the name's case", async () => {
    expect(numbersOf(await list("?state=all&created_by=OLGA"))).toEqual([35, 30, 25, 20, 15, 10, 5]);
    expect(numbersOf(await list("?state=closed&created_by=olga"))).toEqual([35]);
  });

  it("200: since and before, both ends included, on the time of the last change", async () => {
    const updated = async (number: number) =>
      (await api.call("GET", `${where.path}/issues/${number}`)).json.updated_at;
    const range = `?state=all&since=${await updated(10)}&before=${await updated(12)}`;
    expect(numbersOf(await list(range))).toEqual([12, 11, 10]);
  });

  it("200: every order of the family; relevance is as latest", async () => {
    const other = await makeRepository(api, owner);
    for (const body of [{}, { due_date: "2030-03-01T00:00:00Z" }, { due_date: "2030-02-01T00:00:00Z" }]) {
      api.clock.advance(1_000);
      await openIssue(api, other, owner, body);
    }
    api.clock.advance(1_000);
    await addComment(api, other, 2, reader);
    const orders = {
      relevance: [3, 2, 1],
      latest: [3, 2, 1],
      newest: [3, 2, 1],
      oldest: [1, 2, 3],
      recentupdate: [2, 3, 1],
      leastupdate: [1, 3, 2],
      mostcomment: [2, 3, 1],
      leastcomment: [3, 1, 2],
      nearduedate: [3, 2, 1],
      farduedate: [2, 3, 1],
    };
    for (const [order, numbers] of Object.entries(orders)) {
      expect([order, numbersOf(await list(`?sort=${order}`, undefined, other))]).toEqual([order, numbers]);
    }
  });

  it("200: q finds words of title and body, all of them, the last one by its beginning (OPQ-issueListIssues.q, D-SEARCH)", async () => {
    const other = await makeRepository(api, owner);
    await openIssue(api, other, reader, { title: "Crash when saving", body: "The editor hangs" });
    await openIssue(api, other, reader, { title: "Save button", body: "crashes; see EDITOR" });
    await openIssue(api, other, reader, { title: "Ｗｉｄｅ letters", body: "" });
    const found = async (q: string) => numbersOf(await list(`?q=${encodeURIComponent(q)}`, undefined, other));
    expect(await found("editor")).toEqual([2, 1]);
    expect(await found("crash editor")).toEqual([1]);
    expect(await found("editor cras")).toEqual([2, 1]);
    expect(await found("wide")).toEqual([3]);
    expect(await found("nothing")).toEqual([]);
    expect(await found("?!")).toEqual([]);
    expect(await found(" ")).toEqual([3, 2, 1]);
  });

  it("200: what was created, edited or closed is listed at once, with its total", async () => {
    const other = await makeRepository(api, owner);
    expect((await list("", undefined, other)).text).toBe("[]");
    await openIssue(api, other, reader, { title: "New" });
    expect(total(await list("", undefined, other))).toBe("1");
    await api.call("PATCH", `${other.path}/issues/1`, {
      as: reader,
      body: { title: "Newer", state: "closed" },
    });
    expect(total(await list("", undefined, other))).toBe("0");
    expect((await list("?state=closed", undefined, other)).json[0]?.title).toBe("Newer");
  });

  it("200: 30 issues of many authors take 3 requests beside those for the caller and the repository", async () => {
    const other = await makeRepository(api, owner);
    const authors = await Promise.all(Array.from({ length: 5 }, () => api.makeUser()));
    await openIssue(api, other, reader);
    const authorIds = authors.map((author) => author.user.id);
    await fillIssues(api, other, 29, (number) => ({ authorId: authorIds[number % 5] ?? 0 }));
    const answer = await list("", undefined, other);
    expect(answer.json).toHaveLength(30);
    expect(tableRequests(answer)).toBe(3 + 3); // the repository; the list index, issues, authors
  });

  it("200: an owner of a private repository lists it; 404 for anonymous callers and outsiders (B-18)", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner);
    expect(total(await list("", owner, hidden))).toBe("1");
    expect((await list("", undefined, hidden)).status).toBe(404);
    expect((await list("", reader, hidden)).status).toBe(404);
  });

  it("404: the one type that is asked for is switched off, whichever; 200: the other one alone (semantics §3.8)", async () => {
    const other = await makeRepository(api, owner);
    await openIssue(api, other, owner);
    for (const [setting, off, on] of [
      ["has_issues", "issues", "pulls"],
      ["has_pull_requests", "pulls", "issues"],
    ] as const) {
      await api.call("PATCH", other.path, { as: owner, body: { [setting]: false } });
      expect((await list(`?type=${off}`, owner, other)).status).toBe(404);
      expect((await list(`?type=${off}&q=word`, undefined, other)).status).toBe(404);
      expect((await list(`?type=${on}`, owner, other)).status).toBe(200);
      expect(total(await list("", owner, other))).toBe(on === "issues" ? "1" : "0");
      await api.call("PATCH", other.path, { as: owner, body: { [setting]: true } });
    }
  });

  it("200: with pull requests alone switched on, issues are not listed; with neither it is 404", async () => {
    const other = await makeRepository(api, owner);
    await openIssue(api, other, owner);
    expect(total(await list("?type=pulls", undefined, other))).toBe("0");
    expect(total(await list("?type=issues", undefined, other))).toBe("1");
    await setRepository(api, other, { units: ["code", "pulls"] });
    expect(total(await list("", owner, other))).toBe("0");
    expect((await list("?type=issues", owner, other)).status).toBe(404);
    await setRepository(api, other, { units: ["code"] });
    expect((await list("", owner, other)).status).toBe(404);
  });

  it("403: a token without the issue scope", async () => {
    expect((await list("", await withScopes(api, reader, ["read:user"]))).status).toBe(403);
  });

  it("404: created_by names nobody", async () => {
    expect((await list("?created_by=nobody-here")).status).toBe(404);
  });

  it("422: a time that is none, an order that is none", async () => {
    for (const query of [
      "?since=yesterday",
      "?before=2030-13-01T00:00:00Z",
      "?since=2025-02-29T00:00:00Z",
      "?sort=random",
    ]) {
      expect([query, (await list(query)).status]).toEqual([query, 422]);
    }
  });
});
