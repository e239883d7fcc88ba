import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, setRepository, type TestRepository } from "../repository/make.ts";
import { openIssue, timelineOf } from "./make.ts";

let api: TestApi;
let owner: Caller;
let writer: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  writer = await api.makeUser({ name: "willa" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  for (let number = 1; number <= 4; number += 1) await openIssue(api, where, owner);
});
afterAll(() => api.stop());

const pinOf = (method: string, number: number, as: Caller | undefined = owner, position = "") =>
  api.call(method, `${where.path}/issues/${number}/pin${position}`, { as });
const pin = async (...numbers: number[]) => {
  for (const number of numbers) expect((await pinOf("POST", number)).status).toBe(204);
};
/** Numbers and places as the list, the issues themselves, and the check of the data see them. */
async function pinned(): Promise<number[]> {
  const rows = (await api.call("GET", `${where.path}/issues/pinned`)).json;
  const numbers = rows.map((row: { number: number }) => row.number);
  expect(rows.map((row: { pin_order: number }) => row.pin_order)).toEqual(
    numbers.map((_number: number, place: number) => place + 1),
  );
  expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  return numbers;
}
const allowed = async () => (await api.call("GET", `${where.path}/new_pin_allowed`)).json;

describe("pinIssue", () => {
  it("204: in the order of pinning, also when it is pinned already; told once", async () => {
    await pin(2, 1, 2);
    expect(await pinned()).toEqual([2, 1]);
    expect((await timelineOf(api, where, 2)).map(({ type }) => type)).toEqual(["pin"]);
  });

  it("400: a fourth one; of four at once exactly three come through", async () => {
    const answers = await Promise.all([1, 2, 3, 4].map((number) => pinOf("POST", number)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 204, 400]);
    expect(await pinned()).toHaveLength(3);
  });

  it("403: a writer; 404: an issue that is not there", async () => {
    const body = { permission: "write" };
    await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body });
    expect((await pinOf("POST", 1, writer)).status).toBe(403);
    expect((await pinOf("POST", 9)).status).toBe(404);
    expect(await pinned()).toEqual([]);
  });
});

describe("unpinIssue", () => {
  it("204: the others move up, also when it was not pinned; told once", async () => {
    await pin(1, 2, 3);
    for (const _again of [1, 2]) expect((await pinOf("DELETE", 1)).status).toBe(204);
    expect(await pinned()).toEqual([2, 3]);
    expect((await timelineOf(api, where, 1)).map(({ type }) => type)).toEqual(["pin", "unpin"]);
  });
});

describe("moveIssuePin", () => {
  it("204: to any place, past the last behind all, nowhere when it is not pinned", async () => {
    await pin(1, 2, 3);
    expect((await pinOf("PATCH", 3, owner, "/1")).status).toBe(204);
    expect(await pinned()).toEqual([3, 1, 2]);
    expect((await pinOf("PATCH", 3, owner, "/99")).status).toBe(204);
    expect(await pinned()).toEqual([1, 2, 3]);
    expect((await pinOf("PATCH", 4, owner, "/1")).status).toBe(204);
    expect(await pinned()).toEqual([1, 2, 3]);
    expect((await timelineOf(api, where, 3)).map(({ type }) => type)).toEqual(["pin"]);
  });

  it("400: below 1, and what is no number", async () => {
    await pin(1, 2);
    for (const position of ["/0", "/-1", "/first"]) {
      expect((await pinOf("PATCH", 2, owner, position)).status).toBe(400);
    }
    expect(await pinned()).toEqual([1, 2]);
  });
});

describe("unpinIssue, moveIssuePin", () => {
  it("401: anonymous callers; 403: a writer; nothing moves (semantics §3.5)", async () => {
    await pin(1, 2);
    const body = { permission: "write" };
    await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body });
    for (const [as, status] of [
      [undefined, 401],
      [writer, 403],
    ] as const) {
      expect((await api.call("DELETE", `${where.path}/issues/1/pin`, { as })).status).toBe(status);
      expect((await api.call("PATCH", `${where.path}/issues/2/pin/1`, { as })).status).toBe(status);
    }
    expect(await pinned()).toEqual([1, 2]);
    await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body: { permission: "admin" } });
    expect((await pinOf("PATCH", 2, writer, "/1")).status).toBe(204);
    expect(await pinned()).toEqual([2, 1]);
  });
});

describe("repoListPinnedIssues", () => {
  it("404 where issues and pulls are off; 403 where the issues alone are (semantics §35)", async () => {
    await setRepository(api, where, { units: ["code", "pulls"] });
    expect((await api.call("GET", `${where.path}/issues/pinned`)).status).toBe(403);
    await setRepository(api, where, { units: ["code"] });
    expect((await api.call("GET", `${where.path}/issues/pinned`)).status).toBe(404);
  });
});

describe("repoNewPinAllowed", () => {
  it("200: for issues until three are pinned, pulls are counted apart", async () => {
    await pin(1, 2);
    expect(await allowed()).toEqual({ issues: true, pull_requests: true });
    await pin(3);
    expect(await allowed()).toEqual({ issues: false, pull_requests: true });
    await pinOf("DELETE", 2);
    expect(await allowed()).toEqual({ issues: true, pull_requests: true });
  });
});
