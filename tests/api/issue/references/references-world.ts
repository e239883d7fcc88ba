import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { openIssue } from "../make.ts";

export let api: TestApi;
export let owner: Caller;
export let reader: Caller;
export let outsider: Caller;
export let where: TestRepository;

export const full = ({ path }: TestRepository) => path.replace("/repos/", "");
export const timeline = async (number: number, as: Caller | undefined = owner, place = where) =>
  (await api.call("GET", `${place.path}/issues/${number}/timeline`, { as })).json;
export const types = async (number: number, as?: Caller, place?: TestRepository) =>
  (await timeline(number, as, place)).map((one: { type: string }) => one.type);
export const issue = async (number: number, place = where) =>
  (await api.call("GET", `${place.path}/issues/${number}`, { as: owner })).json;
export const patch = (path: string, body: object, as = owner) =>
  api.call("PATCH", `${where.path}${path}`, { as, body });
export const mentioning = async (name: string, query = "", as = owner) => {
  const answer = await api.call("GET", `${where.path}/issues?mentioned_by=${name}${query}`, { as });
  return answer.status === 200 ? answer.json.map((one: { number: number }) => one.number) : answer.status;
};

/** Makes it before the tests of a file, and takes it away after them. */
export function useReferences(): void {
  beforeAll(async () => {
    api = await makeApi();
    owner = await api.makeUser({ name: "olga" });
    reader = await api.makeUser({ name: "rita" });
    outsider = await api.makeUser({ name: "otto" });
  });
  beforeEach(async () => {
    where = await makeRepository(api, owner);
    await openIssue(api, where, owner, { title: "one" });
    await openIssue(api, where, owner, { title: "two" });
  });
  afterAll(() => api.stop());
}
