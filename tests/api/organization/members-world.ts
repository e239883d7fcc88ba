import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeTeam } from "./make.ts";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let carol: Caller;
export let stranger: Caller;
export let boss: Caller;
export let team: number;
export const show = (as: Caller | undefined, who: string, method = "PUT", name = "acme") =>
  api.call(method, `/orgs/${name}/public_members/${who}`, { as });
export const remove = (as: Caller | undefined, who: string, name = "acme") =>
  api.call("DELETE", `/orgs/${name}/members/${who}`, { as });

/** Makes it before the tests of a file, and takes it away after them. */
export function useMembers(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob, carol, stranger, boss] = [
      await api.makeUser({ name: "alice" }),
      await api.makeUser({ name: "bob" }),
      await api.makeUser({ name: "carol", visibility: "private" }),
      await api.makeUser({ name: "stranger" }),
      await api.makeUser({ name: "boss", isAdmin: true }),
    ];
    await makeOrganization(api, alice, "acme");
    await makeOrganization(api, alice, "cloak", { visibility: "private" });
    team = await makeTeam(api, alice, "acme", "crew");
    await join(api, alice, team, bob);
    await join(api, boss, team, carol);
  });
  afterAll(() => api.stop());
}
