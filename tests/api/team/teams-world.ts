import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeTeam } from "../organization/make.ts";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let stranger: Caller;
export let boss: Caller;

export const create = (as: Caller | undefined, body: object, name = "acme") =>
  api.call("POST", `/orgs/${name}/teams`, { as, body });

/** Makes it before the tests of a file, and takes it away after them. */
export function useTeams(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob, stranger, boss] = [
      await api.makeUser({ name: "alice" }),
      await api.makeUser({ name: "bob" }),
      await api.makeUser({ name: "stranger" }),
      await api.makeUser({ name: "boss", isAdmin: true }),
    ];
    await makeOrganization(api, alice, "acme");
    await join(api, alice, await makeTeam(api, alice, "acme", "readers"), bob);
  });
  afterAll(() => api.stop());
}
