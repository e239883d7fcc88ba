import { afterAll, beforeAll } from "vitest";
import { findLicense } from "#core/template/licenses";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

export let api: TestApi;
export let alice: Caller;

export const textOf = (key: string) => findLicense(key)?.body ?? "";

/** Makes it before the tests of a file, and takes it away after them. */
export function useLicenses(): void {
  beforeAll(async () => {
    api = await makeApi();
    alice = await api.makeUser();
  });
  afterAll(() => api.stop());
}
