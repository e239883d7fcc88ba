import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBlock } from "#core/block/block";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { addComment, openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";

let api: TestApi;
let owner: Caller;
let author: Caller;
let outsider: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  author = await api.makeUser({ name: "arno" });
  outsider = await api.makeUser({ name: "otto" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await openIssue(api, where, author);
});
afterAll(() => api.stop());

const remove = (id: number, as?: Caller, between = "") =>
  api.call("DELETE", `${where.path}/issues${between}/comments/${id}`, { as });
const issue = async () => (await api.call("GET", `${where.path}/issues/1`)).json;
const found = async (word: string) =>
  (await api.call("GET", `${where.path}/issues?q=${word}`)).json.map((one: { number: number }) => one.number);

describe("issueDeleteComment", () => {
  it("204: gone from the issue, its count, the lists and the search; nothing is left of it (OP-issueDeleteComment)", async () => {
    const kept = await addComment(api, where, 1, author, "plum");
    const { id } = await addComment(api, where, 1, author, "quince");
    expect(await found("quince")).toEqual([1]);
    expect((await remove(id, author)).status).toBe(204);
    expect((await remove(id, author)).status).toBe(404);
    expect((await issue()).comments).toBe(1);
    const list = await api.call("GET", `${where.path}/issues/1/comments`);
    expect(list.json.map((one: { id: number }) => one.id)).toEqual([kept.id]);
    expect((await api.call("GET", `${where.path}/issues/comments`)).headers.get("x-total-count")).toBe("1");
    expect([await found("quince"), await found("plum")]).toEqual([[], [1]]);
    const findings = await checkRepository(api.forge, where.repository.id);
    expect(findings.map(({ problem }) => problem)).toEqual([]);
  });

  it("204: writers may, also in archived repositories; 403 for others; 401 for nobody", async () => {
    const { id } = await addComment(api, where, 1, author);
    expect((await remove(id)).status).toBe(401);
    expect((await remove(id, outsider)).status).toBe(403);
    await api.call("PATCH", where.path, { as: owner, body: { archived: true } });
    expect((await remove(id, owner)).status).toBe(204);
  });

  it("204: an entry that is no comment stays", async () => {
    const { id } = await addComment(api, where, 1, author);
    await api.call("PATCH", `${where.path}/issues/1`, { as: author, body: { state: "closed" } });
    expect((await remove(id + 1, author)).status).toBe(204);
    expect((await api.call("GET", `${where.path}/issues/comments/${id + 1}`)).status).toBe(204);
  });

  it("404: a comment of another repository", async () => {
    const { id } = await addComment(api, where, 1, author);
    where = await makeRepository(api, owner);
    expect((await remove(id, owner)).status).toBe(404);
  });

  it("of two who delete one comment at once, neither counts it twice", async () => {
    const { id } = await addComment(api, where, 1, author);
    await addComment(api, where, 1, author);
    await Promise.all([remove(id, owner), remove(id, author), remove(id, owner)]);
    expect((await issue()).comments).toBe(1);
  });
});

describe("issueDeleteCommentDeprecated", () => {
  it("204: whatever the index says (D-DEPRECATED)", async () => {
    const { id } = await addComment(api, where, 1, author);
    expect((await remove(id, outsider, "/7")).status).toBe(403);
    expect((await remove(id, author, "/7")).status).toBe(204);
    expect((await issue()).comments).toBe(0);
  });
});

describe("who is blocked", () => {
  it("403: by the owner opens no issue and writes no comment; by the issue's author, no comment (semantics §19.2)", async () => {
    const blocked = await api.makeUser();
    const block = (by: Caller) => createBlock(api.forge, by.user, blocked.user);
    const open = () => api.call("POST", `${where.path}/issues`, { as: blocked, body: { title: "t" } });
    const comment = () =>
      api.call("POST", `${where.path}/issues/1/comments`, { as: blocked, body: { body: "b" } });
    expect((await open()).status).toBe(201);
    await block(author);
    expect([(await open()).status, (await comment()).status]).toEqual([201, 403]);
    await block(owner);
    expect((await open()).status).toBe(403);
    expect((await openIssue(api, where, owner)).number).toBe(4);
  });
});
