import { afterAll, beforeAll, beforeEach } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";

export let api: TestApi;
export let owner: Caller;
export let writer: Caller;
export let outsider: Caller;
export let where: TestRepository;

export const call = (method: string, path: string, body?: object, as: Caller | undefined = owner) =>
  api.call(method, `${where.path}/issues/${path}`, { as, ...defined({ body }) });
/** Lets one issue of the repository wait for another. */
export const wait = (number: number, index: number, as = owner) =>
  call("POST", `${number}/dependencies`, { index }, as);
export const titles = async (path: string, as: Caller | undefined = owner) =>
  (await call("GET", path, undefined, as)).json.map(({ title }: { title: string }) => title);
export const close = (number: number) => call("PATCH", String(number), { state: "closed" });
export const meta = ({ repository }: TestRepository, index: number) => ({
  index,
  owner: "olga",
  repo: repository.name,
});

/** Makes it before the tests of a file, and takes it away after them. */
export function useDependencies(): void {
  beforeAll(async () => {
    api = await makeApi();
    owner = await api.makeUser({ name: "olga" });
    writer = await api.makeUser({ name: "willa" });
    outsider = await api.makeUser({ name: "otto" });
  });
  beforeEach(async () => {
    where = await makeRepository(api, owner);
    const body = { permission: "write" };
    await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body });
    for (const title of ["one", "two", "three"]) await openIssue(api, where, owner, { title });
  });
  afterAll(() => api.stop());
}
