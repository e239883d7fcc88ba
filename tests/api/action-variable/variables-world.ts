import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeOrganization } from "../organization/make.ts";

export let api: TestApi;
export let owner: Caller;
export let other: Caller;
export let boss: Caller;

export const call = (method: string, path: string, body?: object, as: Caller | undefined = owner) =>
  api.call(method, path, { as, ...(body === undefined ? {} : { body }) });

/** Makes it before the tests of a file, and takes it away after them. */
export function useVariables(): void {
  beforeAll(async () => {
    api = await makeApi({ settings: { DELETED_REPOSITORY_RETENTION: "0" } });
    owner = await api.makeUser({ name: "olga" });
    other = await api.makeUser({ name: "otto" });
    boss = await api.makeUser({ name: "boss", isAdmin: true });
    await makeOrganization(api, owner, "acme");
    for (const name of ["a", "b"]) await api.call("POST", "/user/repos", { as: owner, body: { name } });
    const body = { permission: "admin" };
    await api.call("PUT", "/repos/olga/a/collaborators/otto", { as: owner, body });
  });
  afterAll(() => api.stop());
}
