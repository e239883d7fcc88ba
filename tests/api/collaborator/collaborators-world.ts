import { afterAll, beforeAll } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeOrganization } from "../organization/make.ts";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let carol: Caller;
export let boss: Caller;
export const at = (name: string, who = "") =>
  `/repos/alice/${name}/collaborators${who === "" ? "" : `/${who}`}`;
export const add = (name: string, who: string, permission?: string, as: Caller | undefined = alice) =>
  api.call("PUT", at(name, who), { as, body: defined({ permission }) });
export const remove = (name: string, who: string, as: Caller | undefined = alice) =>
  api.call("DELETE", at(name, who), { as });
export const permission = async (name: string, who: string, as: Caller = alice) =>
  (await api.call("GET", `${at(name, who)}/permission`, { as })).json?.permission;

/** Makes it before the tests of a file, and takes it away after them. */
export function useCollaborators(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob, carol, boss] = [
      await api.makeUser({ name: "alice" }),
      await api.makeUser({ name: "bob" }),
      await api.makeUser({ name: "carol" }),
      await api.makeUser({ name: "boss", isAdmin: true }),
    ];
    await api.makeUser({ name: "recluse", visibility: "private" });
    await makeOrganization(api, alice, "acme");
    for (const name of ["r1", "r2", "r3"]) {
      await api.call("POST", "/user/repos", { as: alice, body: { name, private: name !== "r3" } });
    }
  });
  afterAll(() => api.stop());
}
