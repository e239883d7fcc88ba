import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { releaseSequenceKey } from "#core/ids";
import { releaseIndex } from "#core/release/release.index";
import { type Release, releaseKey } from "#core/release/release.table";
import { put, update } from "#core/table/write";
import { sendFile } from "#tests/api/attachment/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { fillListIndex } from "#tests/support/fill-list-index";

let api: TestApi;
let owner: Caller;
let id = 0;
const path = "/repos/olga/r";

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "olga" });
  id = await makeRepository(api, owner, "r");
  await pushFiles(api, owner, "r", { files: { f: "1" } });
});
afterAll(() => api.stop());

const costIn = (headers: Headers) => headers.get("server-timing")?.match(/table;desc="([^"]*)"/)?.[1] ?? "";

/** The table's work for the second of two such calls, caller and repository included. */
async function cost(act: () => Promise<{ status: number; headers: Headers; text: string }>): Promise<string> {
  await act();
  const { status, headers, text } = await act();
  expect([200, 201, 204], text).toContain(status);
  return costIn(headers);
}
const call = (method: string, to: string, body?: () => object) =>
  cost(() => api.call(method, `${path}/${to}`, { as: owner, ...(body && { body: body() }) }));

let made = 0;
const tag = (more: object) => () => {
  made += 1;
  return { tag_name: `v${made}`, ...more };
};

describe("what releases ask of the table, warm, caller and repository included", () => {
  it("POST, PATCH, GET, assets, DELETE", async () => {
    const ids: number[] = [];
    const remember = async (body: object) => {
      const answer = await api.call("POST", `${path}/releases`, { as: owner, body });
      ids.push(answer.json.id);
      return answer;
    };
    const create = (more: object) => cost(() => remember(tag(more)()));
    const costs = {
      "POST with a new tag": await create({}),
      "POST a draft": await create({ draft: true }),
    };
    const [first = 0, second = 0] = ids;
    const assets = `${path}/releases/${first}/assets`;
    const names = ["a", "b", "c"];
    const more = {
      "PATCH body": await call("PATCH", `releases/${first}`, () => ({ body: `notes ${made++}` })),
      "POST asset": await cost(() => sendFile(api, assets, owner, { name: names.pop() ?? "d" })),
      GET: await call("GET", `releases/${first}`),
      "GET by tag": await call("GET", "releases/tags/v1"),
      "GET latest": await call("GET", "releases/latest"),
      "GET list": await call("GET", "releases"),
      DELETE: costIn((await api.call("DELETE", `${path}/releases/${second}`, { as: owner })).headers),
    };
    expect({ ...costs, ...more }).toEqual({
      "POST with a new tag": "10 requests, 14 read and 19 write units",
      "POST a draft": "6 requests, 8 read and 9 write units",
      "PATCH body": "3 requests, 7 read and 6 write units",
      "POST asset": "5 requests, 7 read and 14 write units",
      GET: "3 requests, 9 read and 0 write units",
      "GET by tag": "4 requests, 10 read and 0 write units",
      "GET latest": "4 requests, 8 read and 0 write units",
      "GET list": "5 requests, 14 read and 0 write units",
      DELETE: "3 requests, 7 read and 12 write units",
    });
  });

  it("a page, and the latest, of 10,000 releases", async () => {
    const total = 10_000;
    const release = (number: number): Release => ({
      ...releaseKey(id, number),
      ...{ id: 0, repositoryId: id, number, tagName: `n${number}`, target: "main", title: "", body: "" },
      ...{
        isDraft: false,
        isPrerelease: number % 2 === 1,
        hidesArchiveLinks: false,
        authorId: owner.user.id,
      },
      ...{ createdAt: 2_000_000_000 + number, assets: 0, assetBytes: 0, assetChanges: 0, v: 1, _v: 1 },
    });
    const numbers = Array.from({ length: total }, (_, at) => at + 100);
    await fillListIndex(api.forge, releaseIndex(id), new Map(numbers.map((one) => [one, release(one)])));
    for (const number of [...numbers.slice(-60), 4_850]) await api.forge.table.write(put(release(number)));
    await api.forge.table.write(update(releaseSequenceKey(id), { set: { n: total + 100 } }));
    const cold = await api.call("GET", `${path}/releases`, { as: owner });
    expect({
      cold: costIn(cold.headers),
      warm: await call("GET", "releases"),
      "GET latest": await call("GET", "releases/latest"),
      "by name": await call("GET", "releases?q=N4850"),
      total: cold.headers.get("x-total-count"),
    }).toEqual({
      cold: "5 requests, 70 read and 0 write units",
      warm: "4 requests, 51 read and 0 write units",
      "GET latest": "4 requests, 8 read and 0 write units",
      "by name": "25 requests, 1949 read and 0 write units",
      total: "10003",
    });
  });
});
