import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { openIssue } from "../issue/make.ts";
import { makeRepository, setRepository, type TestRepository } from "../repository/make.ts";

export let api: TestApi;
export let owner: Caller;
export let writer: Caller;
export let author: Caller;
export let assignee: Caller;
export let stranger: Caller;
export let boss: Caller;
export let where: TestRepository;
export const times = (number = 1) => `${where.path}/issues/${number}/times`;
export const add = (as: Caller, body: object, number = 1) => api.call("POST", times(number), { as, body });
export const list = (as: Caller, path = times()) => api.call("GET", path, { as });
export const seconds = (answer: { json: { time: number }[] }) => answer.json.map(({ time }) => time);
export const track = async (as: Caller, body: object, number = 1): Promise<number> => {
  const answer = await add(as, body, number);
  expect(answer.status).toBe(200);
  return answer.json.id;
};
export const setTracker = (change: object) =>
  setRepository(api, where, {
    tracker: { hasTimeTracker: true, isTimeForContributorsOnly: true, hasDependencies: true, ...change },
  });

export const remove = (as: Caller, id: number | "" = "", number = 1) =>
  api.call("DELETE", `${times(number)}${id === "" ? "" : `/${id}`}`, { as });

/** Makes it before the tests of a file, and takes it away after them. */
export function useTimes(): void {
  beforeAll(async () => {
    api = await makeApi();
    [owner, writer, author] = [await api.makeUser(), await api.makeUser(), await api.makeUser()];
    [assignee, stranger] = [await api.makeUser(), await api.makeUser()];
    boss = await api.makeUser({ isAdmin: true });
  });
  beforeEach(async () => {
    where = await makeRepository(api, owner);
    for (const { name } of [writer, assignee]) {
      await api.call("PUT", `${where.path}/collaborators/${name}`, {
        as: owner,
        body: { permission: "write" },
      });
    }
    await openIssue(api, where, author);
  });
  afterAll(() => api.stop());
}
