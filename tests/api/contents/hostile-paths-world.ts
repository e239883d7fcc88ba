import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

export let api: TestApi;
export let alice: Caller;

export const write = (path: string, body: object) =>
  api.call("POST", `/repos/alice/${path}`, { as: alice, body });
export const creating = (paths: readonly string[], content = "") => ({
  files: paths.map((path) => ({ operation: "create", path, content })),
});

/** Makes it before the tests of a file, and takes it away after them. */
export function usePaths(): void {
  beforeAll(async () => {
    api = await makeApi();
    alice = await api.makeUser({ name: "alice" });
  });
  afterAll(() => api.stop());
}
