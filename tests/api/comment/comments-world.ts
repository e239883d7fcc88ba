import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";

export let api: TestApi;
export let owner: Caller;
export let author: Caller;
export let outsider: Caller;
export let admin: Caller;
export let where: TestRepository;
export let hidden: TestRepository;

export const create = (body: object, as?: Caller, at = where, number = 1) =>
  api.call("POST", `${at.path}/issues/${number}/comments`, { as, body });
export const issue = async (at: TestRepository, number = 1) =>
  (await api.call("GET", `${at.path}/issues/${number}`, { as: owner })).json;

/** Makes it before the tests of a file, and takes it away after them. */
export function useComments(): void {
  beforeAll(async () => {
    api = await makeApi();
    [owner, author, outsider, admin] = await Promise.all([
      api.makeUser({ name: "olga" }),
      api.makeUser({ name: "arno" }),
      api.makeUser({ name: "otto" }),
      api.makeUser({ name: "boss", isAdmin: true }),
    ]);
    where = await makeRepository(api, owner);
    hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, where, author);
    await openIssue(api, hidden, owner);
  });
  afterAll(() => api.stop());
}
