import { afterAll, beforeAll, beforeEach } from "vitest";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

export let api: TestApi;
export let owner: Caller;
export let outsider: Caller;
export let where: TestRepository;

export const call = (method: string, path: string, body?: object, as: Caller | undefined = owner) =>
  api.call(method, `${where.path}/${path}`, { as, body });
export const create = (body: object, as?: Caller) => call("POST", "milestones", body, as);
export const get = async (id: number | string) => (await call("GET", `milestones/${id}`)).json;

/** Makes it before the tests of a file, and takes it away after them. */
export function useMilestones(): void {
  beforeAll(async () => {
    api = await makeApi();
    [owner, outsider] = [await api.makeUser({ name: "olga" }), await api.makeUser({ name: "otto" })];
  });
  beforeEach(async () => {
    where = await makeRepository(api, owner);
  });
  afterAll(() => api.stop());
}
