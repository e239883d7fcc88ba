import { afterAll, beforeAll, expect } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeOrganization, makeRepository, makeTeam } from "../organization/make.ts";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let carol: Caller;
export let stranger: Caller;
export let boss: Caller;

export const at = (team: number, name: string) => `/teams/${team}/repos/acme/${name}`;
export const statusOf = async (method: string, path: string, as: Caller | undefined) =>
  (await api.call(method, path, { as })).status;
export const found = async (query: string, as: Caller | undefined) => {
  const { json, headers } = await api.call("GET", `/repos/search?${query}`, { as });
  expect(headers.get("x-total-count")).toBe(String(json.data.length));
  return json.data.map((one: { full_name: string }) => one.full_name);
};

/** Makes it before the tests of a file, and takes it away after them. */
export function useTeams(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob, carol, stranger, boss] = [
      await api.makeUser({ name: "alice" }),
      await api.makeUser({ name: "bob" }),
      await api.makeUser({ name: "carol" }),
      await api.makeUser({ name: "stranger" }),
      await api.makeUser({ name: "boss", isAdmin: true }),
    ];
    await makeOrganization(api, alice, "acme");
    await makeRepository(api, alice, "acme", "open");
    await makeRepository(api, alice, "acme", "vault", { private: true });
    await makeRepository(api, alice, "acme", "attic", { private: true });
    await makeOrganization(api, alice, "cloak", { visibility: "private" });
    await makeTeam(api, alice, "acme", "guests");
    await makeTeam(api, alice, "acme", "visitors");
    await api.call("PUT", "/repos/acme/attic/teams/guests", { as: alice });
    await api.call("POST", "/user/repos", { as: bob, body: { name: "solo" } });
  });
  afterAll(() => api.stop());
}
