import { afterAll, beforeAll, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let owner: Caller;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "owner" });
  await api.call("POST", "/user/repos", { as: owner, body: { name: "thing", auto_init: true } });
});
afterAll(() => api.stop());

const thing = "/repos/owner/thing";

it.each([
  `${thing}/teams`,
  `${thing}/branch_protections`,
  `${thing}/tag_protections`,
  `${thing}/git/refs`,
  "/gitignore/templates",
  "/label/templates/Default",
])("GET %s has no pages and says in X-Total-Count how many rows it has (D-PAGING)", async (path) => {
  const { status, headers, json } = await api.call("GET", path, { as: owner });
  expect([status, headers.get("x-total-count")]).toEqual([200, String(json.length)]);
  expect(headers.get("access-control-expose-headers")).toContain("X-Total-Count");
  expect(headers.has("link")).toBe(false);
});
