import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { endpoints } from "#tests/support/endpoints";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  await makeRepository(api, alice, "r");
  await pushFiles(api, alice, "r", { files: { f: "1\n" } });
});
afterAll(() => api.stop());

/** Addresses that name nothing. */
const hostile = [
  ...["%00", "a%00b", "%FF", "%ED%A0%80", "%", "%zz", "..%2f..%2fetc%2fpasswd", "%252e%252e", "a%5cb", "-x"],
  ...["@%7B-1%7D", "main%5E%7B%2Fx%7D", "main%3Af", "%20", "%0a", "x".repeat(3_000), ".git/config"],
];
const named = endpoints.filter(
  ({ path, method }) =>
    /^\/repos\/\{owner\}\/\{repo\}\/.*\{\w+\}/.test(path) &&
    ["get", "delete"].includes(method) &&
    !/\{(id|index)\}/.test(path),
);

describe("operations on a repository, asked for names that nothing can have", () => {
  it.each(named.map((one) => [one.id, one] as const))(
    "%s refuses them all",
    async (_id, { method, path, query }) => {
      for (const name of hostile) {
        const filled = path
          .replace("{owner}", "alice")
          .replace("{repo}", "r")
          .replace(/\{\w+\}/g, name);
        const { status } = await api.call(method.toUpperCase(), filled, { as: alice });
        expect([filled, status >= 400 && status < 500]).toEqual([filled, true]);
        if (query === undefined || !("ref" in query) || method !== "get") continue;
        const asked = path
          .replace("{owner}", "alice")
          .replace("{repo}", "r")
          .replace(/\{\w+\}/g, "f");
        const answer = await api.call("GET", `${asked}?ref=${name.replaceAll("%zz", "%25zz")}`, {
          as: alice,
        });
        expect([asked, name, answer.status >= 400 && answer.status < 500]).toEqual([asked, name, true]);
      }
      expect((await api.call("GET", "/repos/alice/r/branches", { as: alice })).json.length).toBe(1);
    },
  );

  it("names with odd characters are found as they are written, encoded once", async () => {
    for (const name of ["100%", "a%2Fb", "größe/ü", "a b".replace(" ", "+"), "x#y", "q&a=1", "per%20cent"]) {
      const made = await api.call("POST", "/repos/alice/r/branches", {
        as: alice,
        body: { new_branch_name: name },
      });
      expect([name, made.status]).toEqual([name, 201]);
      const path = `/repos/alice/r/branches/${encodeURIComponent(name)}`;
      expect((await api.call("GET", path, { as: alice })).json.name).toBe(name);
      const contents = `/repos/alice/r/contents/f?ref=${encodeURIComponent(name)}`;
      expect((await api.call("GET", contents, { as: alice })).status).toBe(200);
      expect((await api.call("DELETE", path, { as: alice })).status).toBe(204);
    }
  });
});
