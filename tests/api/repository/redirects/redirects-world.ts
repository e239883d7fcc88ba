import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Folders } from "../../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../serve-git.ts";

export let api: TestApi;
export let served: ServedGit;
export const folders = new Folders();
export let alice: Caller;
export let bob: Caller;
let made = 0;
export let name = "";
export let id = 0;

export async function create(called: string, body: object = {}): Promise<number> {
  const answer = await api.call("POST", "/user/repos", { as: alice, body: { name: called, ...body } });
  expect(answer.status).toBe(201);
  return answer.json.id;
}
export const rename = (from: string, to: string) =>
  api.call("PATCH", `/repos/alice/${from}`, { as: alice, body: { name: to } });
export const read = (called: string, as?: Caller) => api.call("GET", `/repos/alice/${called}`, { as });
export const checked = async () => expect(await checkRepository(api.forge, id)).toEqual([]);

/** Makes it before the tests of a file, and takes it away after them. */
export function useRedirects(): void {
  beforeAll(async () => {
    api = await makeApi();
    served = await serveGit(api);
    [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  });
  beforeEach(async () => {
    made += 1;
    name = `Repo-${made}`;
    id = await create(name);
  });
  afterAll(async () => {
    await folders.remove();
    await served.stop();
    await api.stop();
  });
}
