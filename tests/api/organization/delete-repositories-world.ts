import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Caller, TestApi } from "#tests/support/api";
import { makeOrganization, namesIn, startOrganizations } from "./make.ts";

export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let boss: Caller;
export let org: string;
export let made = 0;

export const remove = async (as?: Caller) => {
  const { status, text } = await api.call("DELETE", `/orgs/${org}/repos`, { as });
  return [status, text];
};
export const left = async () => namesIn(await api.call("GET", `/orgs/${org}/repos?limit=50`, { as: alice }));

/** Makes it before the tests of a file, and takes it away after them. */
export function useOrganizations(): void {
  beforeAll(async () => {
    ({ api, alice, bob, boss } = await startOrganizations());
  });
  beforeEach(async () => {
    made += 1;
    org = `works-${made}`;
    await makeOrganization(api, alice, org);
  });
  afterAll(() => api.stop());
}
