import { afterAll, beforeAll } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { openIssue } from "./make.ts";

export let api: TestApi;
export let owner: Caller;
export let where: TestRepository;
export let elsewhere: TestRepository;

export const call = (method: string, path: string, body?: object, from = where) =>
  api.call(method, `${from.path}${path}`, { as: owner, ...defined({ body }) });

/** Makes it before the tests of a file, and takes it away after them. */
export function useIssues(): void {
  beforeAll(async () => {
    api = await makeApi();
    owner = await api.makeUser({ name: "olga" });
    where = await makeRepository(api, owner);
    elsewhere = await makeRepository(api, owner);
    await openIssue(api, where, owner, { title: "first" });
    await openIssue(api, elsewhere, owner, { title: "other" });
  });
  afterAll(() => api.stop());
}
