import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Table } from "#core/table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { changeNextRequest } from "#tests/support/race/next-request";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { addComment, openIssue } from "./make.ts";

let api: TestApi;
let owner: Caller;
let author: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  [owner, author] = [await api.makeUser(), await api.makeUser()];
  where = await makeRepository(api, owner);
});
afterAll(() => api.stop());

const edit = (number: number, body: object, as = owner) =>
  api.call("PATCH", `${where.path}/issues/${number}`, { as, body });
const get = (number: number, as = owner) => api.call("GET", `${where.path}/issues/${number}`, { as });

/**
 * Does something right after the next request's first read of several items: between the items read ahead and the rest.
 */
function afterReadAhead(work: () => Promise<unknown>): void {
  changeNextRequest(api.forge, (view) => {
    const { getAll } = view;
    const once: Table["getAll"] = async (keys, options) => {
      view.getAll = getAll;
      const found = await getAll(keys, options);
      await work();
      return found as never;
    };
    view.getAll = once;
  });
}

describe("an issue that was read with the caller, and has changed since", () => {
  it("issueEditIssue: 201, and the change that came between is kept", async () => {
    const { number } = await openIssue(api, where, owner, { title: "old words", body: "text" });
    await get(number);
    afterReadAhead(() => edit(number, { body: "other text" }));
    const edited = await edit(number, { title: "new words" });
    expect([edited.status, edited.json.title, edited.json.body]).toEqual([201, "new words", "other text"]);
    const search = async (q: string) =>
      (await api.call("GET", `${where.path}/issues?q=${q}`, { as: owner })).json.length;
    expect([await search("new"), await search("other"), await search("old")]).toEqual([1, 1, 0]);
  });

  it("issueCreateComment: 201, both of two comments at once are counted", async () => {
    const { number } = await openIssue(api, where, owner);
    await get(number);
    afterReadAhead(() => addComment(api, where, number, author));
    await addComment(api, where, number, owner);
    expect((await get(number)).json.comments).toBe(2);
  });

  it("issueCreateComment: 403 for non-writers where the issue was locked meanwhile", async () => {
    const { number } = await openIssue(api, where, owner);
    await get(number, author);
    afterReadAhead(() => api.call("PUT", `${where.path}/issues/${number}/lock`, { as: owner, body: {} }));
    const path = `${where.path}/issues/${number}/comments`;
    expect((await api.call("POST", path, { as: author, body: { body: "late" } })).status).toBe(403);
    expect((await get(number)).json.comments).toBe(0);
  });

  it("issueEditIssue: 404 where the issue was deleted meanwhile", async () => {
    const { number } = await openIssue(api, where, owner);
    await get(number);
    afterReadAhead(() => api.call("DELETE", `${where.path}/issues/${number}`, { as: owner }));
    expect((await edit(number, { title: "late" })).status).toBe(404);
  });
});

describe("an issue of a repository that its reader knew by name", () => {
  it("issueGetIssue: 404 once the repository is hidden from the caller, and when another has its name, that one's issue", async () => {
    const former = await makeRepository(api, owner);
    await openIssue(api, former, owner, { title: "of the former one" });
    const path = `${former.path}/issues/1`;
    expect((await api.call("GET", path, { as: author })).status).toBe(200);
    await api.call("PATCH", former.path, { as: owner, body: { private: true } });
    expect((await api.call("GET", path, { as: author })).status).toBe(404);
    await api.call("PATCH", former.path, { as: owner, body: { private: false } });
    expect((await api.call("GET", path, { as: author })).json.title).toBe("of the former one");
    await api.call("DELETE", former.path, { as: owner });
    const name = former.path.split("/").at(-1) ?? "";
    await api.call("POST", "/user/repos", { as: owner, body: { name } });
    expect((await api.call("GET", path, { as: author })).status).toBe(404);
    await api.call("POST", `${former.path}/issues`, { as: owner, body: { title: "of the next one" } });
    expect((await api.call("GET", path, { as: author })).json.title).toBe("of the next one");
  });
});
