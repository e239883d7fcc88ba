import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let owner: Caller;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "owner" });
  await api.call("POST", "/user/repos", { as: owner, body: { name: "dated" } });
});
afterAll(() => api.stop());

describe("a due date whose offset leads out of the four-digit years", () => {
  it.each([
    ["0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59Z"],
  ])("201: %s counts as the end of those years, which every client can read", async (due_date, shown) => {
    const created = await api.call("POST", "/repos/owner/dated/issues", {
      as: owner,
      body: { title: "far away", due_date },
    });
    expect(created).toMatchObject({ status: 201, json: { due_date: shown } });
    const path = `/repos/owner/dated/issues/${created.json.number}`;
    const edited = await api.call("PATCH", path, { as: owner, body: { due_date } });
    expect(edited.json.due_date).toMatch(/^\d{4}-/);
  });
});
