import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { addComment, openIssue } from "./make.ts";

let api: TestApi;
let owner: Caller;
let author: Caller;
let reader: Caller;
let boss: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  owner = await api.makeUser({ name: "olga" });
  author = await api.makeUser({ name: "arno" });
  reader = await api.makeUser({ name: "rita" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await openIssue(api, where, author);
  await api.call("DELETE", `${where.path}/subscription`, { as: owner });
});
afterAll(() => api.stop());

const call = (method: string, name: string, as: Caller | undefined = reader) =>
  api.call(method, `${where.path}/issues/1/subscriptions${name}`, { as });
const isSubscribed = async (as: Caller) => (await call("GET", "/check", as)).json.subscribed;
const subscribersFor = async (as: Caller) =>
  (await call("GET", "", as)).json.map(({ login }: { login: string }) => login).sort();
const subscribers = () => subscribersFor(reader);

describe("issueCheckSubscription", () => {
  it("200: who watches the repository hears of it, and who takes part: author, commenter, assignee", async () => {
    expect([await isSubscribed(reader), await isSubscribed(owner)]).toEqual([false, false]);
    expect(await isSubscribed(author)).toBe(true);
    await api.call("PUT", `${where.path}/subscription`, { as: owner });
    expect(await isSubscribed(owner)).toBe(true);
    await api.call("DELETE", `${where.path}/subscription`, { as: owner });
    await addComment(api, where, 1, reader);
    await api.call("PATCH", `${where.path}/issues/1`, { as: owner, body: { assignees: ["olga"] } });
    expect([await isSubscribed(reader), await isSubscribed(owner)]).toEqual([true, true]);
    expect(await subscribers()).toEqual([]);
  });

  it("200: with the issue's date and the links of both; 401: nobody", async () => {
    const { json } = await call("GET", "/check", author);
    const issue = (await api.call("GET", `${where.path}/issues/1`)).json;
    expect(json).toEqual({
      subscribed: true,
      ignored: false,
      reason: null,
      created_at: issue.created_at,
      url: `${issue.url}/subscriptions`,
      repository_url: issue.url.replace("/issues/1", ""),
    });
    expect((await api.call("GET", `${where.path}/issues/1/subscriptions/check`)).status).toBe(401);
  });
});

describe("issueAddSubscription", () => {
  it("201, again 200: the caller, in any case of their name; 200 for participants", async () => {
    expect((await call("PUT", "/RITA")).status).toBe(201);
    expect((await call("PUT", "/rita")).status).toBe(200);
    expect((await call("PUT", "/arno", author)).status).toBe(200);
    expect([await isSubscribed(reader), await subscribers()]).toEqual([true, ["rita"]]);
  });

  it("403: for another; 201 for a site administrator; 404: no such user, no such issue", async () => {
    expect((await call("PUT", "/olga")).status).toBe(403);
    expect((await call("PUT", "/olga", boss)).status).toBe(201);
    for (const as of [boss, reader]) expect((await call("PUT", "/nobody", as)).status).toBe(404);
    const absent = await api.call("PUT", `${where.path}/issues/9/subscriptions/rita`, { as: reader });
    expect(absent.status).toBe(404);
    expect(await subscribers()).toEqual(["olga"]);
  });
});

describe("issueDeleteSubscription", () => {
  it("201, again 200: participants, too, no longer hear of it until they want to (semantics §49.4)", async () => {
    expect((await call("DELETE", "/arno", author)).status).toBe(201);
    expect((await call("DELETE", "/arno", author)).status).toBe(200);
    await addComment(api, where, 1, author);
    expect(await isSubscribed(author)).toBe(false);
    expect((await call("PUT", "/arno", author)).status).toBe(201);
    expect(await subscribers()).toEqual(["arno"]);
    expect((await call("DELETE", "/arno")).status).toBe(403);
  });
});

describe("issueSubscriptions", () => {
  it("200: of hidden users only who may know of them is told, also of their number", async () => {
    const hidden = await api.makeUser({ name: "hanna" });
    await api.call("PATCH", "/admin/users/hanna", { as: boss, body: { visibility: "private" } });
    expect((await call("PUT", "/hanna", hidden)).status).toBe(201);
    const list = (as: Caller | undefined) => api.call("GET", `${where.path}/issues/1/subscriptions`, { as });
    const seen = await Promise.all(
      [undefined, reader, hidden, boss].map(async (as) => {
        const answer = await list(as);
        return [answer.json.length, answer.headers.get("x-total-count")];
      }),
    );
    expect(seen).toEqual([
      [0, "0"],
      [0, "0"],
      [1, "1"],
      [1, "1"],
    ]);
  });

  it("200: without users who may not read the issue any more, also in the number, until they may again (B-18)", async () => {
    const count = async () => (await call("GET", "", owner)).headers.get("x-total-count");
    await call("PUT", "/rita");
    await call("PUT", "/olga", boss);
    await api.call("PATCH", where.path, { as: owner, body: { private: true } });
    expect([await subscribersFor(owner), await count()]).toEqual([["olga"], "1"]);
    const person = `${where.path}/collaborators/rita`;
    await api.call("PUT", person, { as: owner, body: { permission: "read" } });
    expect([await subscribersFor(owner), await count()]).toEqual([["olga", "rita"], "2"]);
    await api.call("DELETE", person, { as: owner });
    expect([await subscribersFor(owner), await count()]).toEqual([["olga"], "1"]);
  });

  it("200: a page of those who chose to; 404: no such issue", async () => {
    for (const name of ["rita", "olga", "boss"]) await call("PUT", `/${name}`, boss);
    const answer = await call("GET", "?limit=2&page=2");
    expect([answer.json.length, answer.headers.get("x-total-count")]).toEqual([1, "3"]);
    expect((await api.call("GET", `${where.path}/issues/9/subscriptions`)).status).toBe(404);
  });
});
