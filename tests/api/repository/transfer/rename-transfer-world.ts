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
export let boss: Caller;
export let made = 0;
export let name = "";
let id = 0;

export async function create(as: Caller, called: string): Promise<number> {
  const answer = await api.call("POST", "/user/repos", { as, body: { name: called } });
  expect(answer.status).toBe(201);
  return answer.json.id;
}
export async function rename(path: string, to: string): Promise<void> {
  const { status } = await api.call("PATCH", `/repos/${path}`, { as: boss, body: { name: to } });
  expect(status).toBe(200);
}
export async function give(path: string, new_owner: string): Promise<void> {
  const body = { new_owner };
  expect((await api.call("POST", `/repos/${path}/transfer`, { as: boss, body })).status).toBe(202);
}
export const read = (path: string, as?: Caller) => api.call("GET", `/repos/${path}`, { as });
/** The target of a path, for the caller: a path, or the status when it leads nowhere else. */
export async function leads(path: string, as?: Caller): Promise<string | number> {
  const { status, headers } = await read(path, as);
  const location = headers.get("location");
  return status === 307 && location !== null ? (location.split("/repos/")[1] ?? location) : status;
}
/** All of the paths lead there, to each caller, asked twice: the second time the forge knows the names. */
export async function expectLeads(paths: readonly string[], to: string, callers = [alice, undefined]) {
  for (const as of [...callers, ...callers]) {
    for (const path of paths) expect([path, await leads(path, as)]).toEqual([path, to]);
    expect((await read(to, as)).json.id).toBe(id);
  }
}
export const checked = async () => expect(await checkRepository(api.forge, id)).toEqual([]);

/** Makes it before the tests of a file, and takes it away after them. */
export function useFormerNames(): void {
  beforeAll(async () => {
    api = await makeApi();
    served = await serveGit(api);
    alice = await api.makeUser({ name: "alice" });
    bob = await api.makeUser({ name: "bob" });
    carol = await api.makeUser({ name: "carol" });
    boss = await api.makeUser({ name: "boss", isAdmin: true });
    await makeOrganization(api, carol, "acme");
  });
  beforeEach(async () => {
    made += 1;
    name = `rt-${made}`;
    id = await create(alice, `${name}-a`);
    await rename(`alice/${name}-a`, `${name}-b`);
  });
  afterAll(async () => {
    await folders.remove();
    await served.stop();
    await api.stop();
  });
}
