import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";

export let api: TestApi;
export let owner: Caller;
export let author: Caller;
export let where: TestRepository;
export const remove = (number: number, as: Caller | undefined = owner) =>
  api.call("DELETE", `${where.path}/issues/${number}`, { as });

/** Makes it before the tests of a file, and takes it away after them. */
export function useIssues(): void {
  beforeAll(async () => {
    api = await makeApi();
    owner = await api.makeUser({ name: "olga" });
    author = await api.makeUser({ name: "arno" });
  });
  beforeEach(async () => {
    where = await makeRepository(api, owner);
  });
  afterAll(() => api.stop());
}
