import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiRequestOptions, basic, type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let ada: Caller;

beforeAll(async () => {
  api = await makeApi();
  ada = await api.makeUser({ name: "ada" });
});
afterAll(() => api.stop());

const json = '{"title":"a"}';
const plain = { "content-type": "text/plain;charset=UTF-8" };
const byPassword = () => basic(ada.name, ada.password);

async function makeIssues(name: string): Promise<string> {
  await api.call("POST", "/user/repos", { as: ada, body: { name } });
  const path = `/repos/ada/${name}/issues`;
  for (const title of ["one", "two"]) await api.call("POST", path, { as: ada, body: { title } });
  return path;
}

describe("JSON under text/plain (D-TEXTPLAIN)", () => {
  it("is read where generated clients send it: dependencies, blocks, avatars, removal of labels", async () => {
    const issues = await makeIssues("engine");
    const { json: label } = await api.call("POST", "/repos/ada/engine/labels", {
      as: ada,
      body: { name: "bug", color: "#ff0000" },
    });
    await api.call("POST", `${issues}/1/labels`, { as: ada, body: { labels: [label.id] } });
    const send = (method: string, path: string, body: object) =>
      api.call(method, path, { as: ada, raw: JSON.stringify(body), headers: plain });
    const two = { owner: "ada", repo: "engine", index: 2 };
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    expect((await send("POST", `${issues}/1/dependencies`, two)).status).toBe(201);
    expect((await send("DELETE", `${issues}/1/dependencies`, two)).status).toBe(201);
    expect((await send("POST", `${issues}/1/blocks`, two)).status).toBe(201);
    expect((await send("DELETE", `${issues}/1/blocks`, two)).status).toBe(201);
    expect((await send("POST", "/user/avatar", { image: png })).status).toBe(204);
    expect((await send("POST", "/repos/ada/engine/avatar", { image: png })).status).toBe(204);
    const removal = `${issues}/1/labels/${label.id}`;
    expect((await send("DELETE", removal, { updated_at: "2020-01-02T03:04:05Z" })).status).toBe(403); // B-02
    expect((await send("DELETE", removal, {})).status).toBe(204);
  });

  it("422 for a body that is no JSON there, and for one that lacks a field", async () => {
    const issues = await makeIssues("broken");
    const send = (raw: string) => api.call("POST", issues, { as: ada, raw, headers: plain });
    expect([await send("title=a"), await send("{}")].map(({ status }) => status)).toEqual([422, 422]);
  });
});

describe("a page of another site, with the password that the browser keeps", () => {
  const post = (headers: Record<string, string>, body: ApiRequestOptions = { raw: json }) =>
    api.call("POST", "/repos/ada/pages/issues", { ...body, headers: { ...byPassword(), ...headers } });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const foreign = [
    { "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" },
    { "sec-fetch-mode": "no-cors", "sec-fetch-site": "cross-site" },
    { "sec-fetch-mode": "cors", "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    { "sec-fetch-mode": "cors", "sec-fetch-site": "same-site", origin: "https://other.example" },
    { origin: "https://evil.example" },
    { origin: "null" },
  ];

  beforeAll(() => makeIssues("pages"));

  it.each(foreign)("415: what browsers send for it unasked: %o", async (headers) => {
    const asked = [
      await post({ ...headers, ...plain }),
      await post({ ...headers, ...form }, { raw: "title=a" }),
      await post(headers, { raw: Buffer.from(json) }),
    ];
    expect(asked.map(({ status }) => status)).toEqual([415, 415, 415]);
    expect(asked[0]?.json.message).toContain("Content-Type: application/json");
    const upload = { ...headers, ...byPassword(), "content-type": "multipart/form-data; boundary=x" };
    const assets = "/repos/ada/pages/issues/1/assets";
    expect((await api.call("POST", assets, { raw: "--x--", headers: upload })).status).toBe(415);
    const bare = { headers: { ...headers, ...byPassword() } };
    expect((await api.call("POST", "/repos/ada/pages/issues/1/stopwatch/start", bare)).status).toBe(415);
    const { headers: listed } = await api.call("GET", "/repos/ada/pages/issues", { as: ada });
    expect(listed.get("x-total-count")).toBe("2");
  });

  it("201: what it had to ask for, what came with a token, and what no page sent", async () => {
    for (const headers of foreign) {
      const typed = { ...headers, "content-type": "application/json" };
      expect((await post(typed)).status).toBe(201);
      const byToken = { ...headers, ...plain, authorization: `token ${ada.token}` };
      expect((await post(byToken)).status).toBe(201);
    }
    const { rootUrl } = api.forge.config;
    const own = [
      {},
      { "sec-fetch-mode": "cors" }, // fetch of Node
      { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin", origin: rootUrl },
      { origin: new URL(rootUrl).origin },
    ];
    for (const headers of own) {
      expect((await post({ ...headers, ...plain })).status).toBe(201);
      expect((await post({ ...headers, ...form }, { raw: "title=a" })).status).toBe(201);
    }
  });
});
