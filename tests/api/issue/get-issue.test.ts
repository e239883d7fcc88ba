import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, setRepository, type TestRepository } from "../repository/make.ts";
import { openIssue, tableRequests, withScopes } from "./make.ts";

let api: TestApi;
let owner: Caller;
let reader: Caller;
let admin: Caller;
let open: TestRepository;
let hidden: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  [owner, reader, admin] = await Promise.all([
    api.makeUser({ name: "olga" }),
    api.makeUser({ name: "rita" }),
    api.makeUser({ name: "boss", isAdmin: true }),
  ]);
  open = await makeRepository(api, owner);
  hidden = await makeRepository(api, owner, { isPrivate: true });
  await openIssue(api, open, reader, { title: "First" });
  await openIssue(api, hidden, owner, { title: "Secret" });
});
afterAll(() => api.stop());

const get = (where: TestRepository, index: number | string, as?: Caller) =>
  api.call("GET", `${where.path}/issues/${index}`, { as });

describe("issueGetIssue", () => {
  it("200: an anonymous caller reads an issue of a public repository (OP-issueGetIssue)", async () => {
    const answer = await get(open, 1);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ number: 1, title: "First", user: { login: "rita" } });
  });

  it("200: owner and site administrator read an issue of a private repository", async () => {
    expect((await get(hidden, 1, owner)).json.title).toBe("Secret");
    expect((await get(hidden, 1, admin)).json.title).toBe("Secret");
  });

  it("200: what was created is read back as it was answered", async () => {
    const created = await openIssue(api, open, reader, { title: "Second", body: "text", ref: "main" });
    expect((await get(open, created.number, reader)).json).toEqual(created);
  });

  it("200: an author who is gone shows as Ghost", async () => {
    const leaver = await api.makeUser();
    const { number } = await openIssue(api, open, leaver);
    const { pk, sk } = leaver.user;
    await api.forge.table.removeAll([{ pk, sk }]);
    expect((await get(open, number)).json.user.login).toBe("Ghost");
  });

  it("200: takes 1 request to the table, for the caller, the repository and the issue, its author known", async () => {
    const mine = await openIssue(api, open, owner);
    expect(tableRequests(await get(open, mine.number, owner))).toBe(1);
  });

  it("200: takes one more for an author who is neither the caller nor the owner", async () => {
    expect(tableRequests(await get(open, 1, owner))).toBe(2);
  });

  it("304: the ETag of the last answer is shown and nothing changed", async () => {
    const etag = (await get(open, 1)).headers.get("etag") ?? "";
    const headers = { "if-none-match": etag };
    const again = await api.call("GET", `${open.path}/issues/1`, { headers });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("403: a token without the issue scope; with read:issue it is 200", async () => {
    expect((await get(open, 1, await withScopes(api, reader, ["read:repository"]))).status).toBe(403);
    expect((await get(open, 1, await withScopes(api, reader, ["read:issue"]))).status).toBe(200);
  });

  it("403: a token that is limited to what is public, on a private repository", async () => {
    const limited = await withScopes(api, owner, ["read:issue", "public-only"]);
    expect((await get(hidden, 1, limited)).status).toBe(403);
  });

  it("404: no such number, 0, a number of another repository, a word", async () => {
    const elsewhere = await makeRepository(api, owner);
    for (const index of [999, 0, "abc", "1.5", -1, "99999999999999999999"]) {
      expect([index, (await get(open, index)).status]).toEqual([index, 404]);
    }
    expect((await get(elsewhere, 1)).status).toBe(404);
  });

  it("404: the repository is hidden from the caller (B-18)", async () => {
    expect((await get(hidden, 1)).status).toBe(404);
    expect((await get(hidden, 1, reader)).status).toBe(404);
  });

  it("404: issues are switched off, with or without pull requests", async () => {
    const where = await makeRepository(api, owner);
    await openIssue(api, where, owner);
    await setRepository(api, where, { units: ["code", "pulls"] });
    expect((await get(where, 1, owner)).status).toBe(404);
    await setRepository(api, where, { units: ["code"] });
    expect((await get(where, 1, owner)).status).toBe(404);
  });
});
