import { expect, it } from "vitest";
import { createRoutes } from "#functions/http/routes";
import { endpoints } from "#tests/support/endpoints";
import { ownMs } from "#tests/support/thread-time";

it("a path of thousands of slashes is matched in milliseconds", () => {
  const routes = createRoutes(endpoints);
  const path = `/x${"/".repeat(60_000)}y`;
  routes.match("GET", "/version");
  expect(ownMs(() => expect(routes.match("GET", path)).toEqual({ kind: "unknown" }))).toBeLessThan(500);
  expect(routes.match("GET", "/version///")).toMatchObject({ kind: "endpoint" });
});
