import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;

export const path = "/user/applications/oauth2";
export const given = { name: "ci", redirect_uris: ["https://ci.example/login"], confidential_client: true };
export const create = async (body: object = given, as = alice) =>
  (await api.call("POST", path, { body, as })).json;

/** Makes it before the tests of a file, and takes it away after them. */
export function useApplications(): void {
  beforeAll(async () => {
    api = await makeApi();
    alice = await api.makeUser({ name: "alice" });
    bob = await api.makeUser({ name: "bob" });
  });
  afterAll(() => api.stop());
}
