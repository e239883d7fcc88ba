import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Folders } from "../../../git/http/real-git.ts";
import { makeOrganization } from "../../organization/make.ts";
import { type ServedGit, serveGit } from "../serve-git.ts";

export let api: TestApi;
export let served: ServedGit;
export const folders = new Folders();
export let alice: Caller;
export let bob: Caller;
export let carol: Caller;
export let made = 0;
export let name = "";
export let id = 0;

async function create(more: object): Promise<number> {
  const body = { name, auto_init: true, description: "all sorts", ...more };
  const answer = await api.call("POST", "/user/repos", { as: alice, body });
  expect(answer.status).toBe(201);
  return answer.json.id;
}
/** Another one, whose name ends in this, for the rest of the test. */
export async function createAnother(ending: string, more: object): Promise<void> {
  name = `${name}-${ending}`;
  id = await create(more);
}
export const fork = (as: Caller | undefined, body: object = {}, path = `alice/${name}`) =>
  api.call("POST", `/repos/${path}/forks`, { as, body });
export const read = (path: string, as?: Caller) => api.call("GET", `/repos/${path}`, { as });
export const forksOf = (path: string, as?: Caller) => api.call("GET", `/repos/${path}/forks`, { as });
export const edit = (path: string, as: Caller, body: object) =>
  api.call("PATCH", `/repos/${path}`, { as, body });
export async function checked(...ids: number[]): Promise<void> {
  for (const one of ids) expect(await checkRepository(api.forge, one)).toEqual([]);
}

/** Makes it before the tests of a file, and takes it away after them. */
export function useForks(): void {
  beforeAll(async () => {
    api = await makeApi();
    served = await serveGit(api);
    alice = await api.makeUser({ name: "alice" });
    bob = await api.makeUser({ name: "bob" });
    carol = await api.makeUser({ name: "carol" });
    await makeOrganization(api, carol, "acme");
    await makeOrganization(api, carol, "secret", { visibility: "private" });
  });
  beforeEach(async () => {
    made += 1;
    name = `Wares-${made}`;
    id = await create({});
  });
  afterAll(async () => {
    await folders.remove();
    await served.stop();
    await api.stop();
  });
}
