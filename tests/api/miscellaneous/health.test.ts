import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ retryBudgetMs: 50, settings: { REQUIRE_SIGNIN_VIEW: "true" } });
});
afterAll(() => api.stop());

describe("GET /api/healthz", () => {
  it("200: anybody learns that the table answers, from one read, and nobody keeps the answer", async () => {
    const response = await api.app.request("/api/healthz");
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toMatchObject({
      status: "pass",
      checks: { "database:ping": [{ status: "pass" }] },
    });
  });

  it("503: the table does not answer", async () => {
    api.faults.inject({ service: "dynamodb", operation: "GetItem", fault: "unanswered", times: 1_000 });
    const response = await api.app.request("/api/healthz");
    api.faults.recover();
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: "fail" });
  });
});
