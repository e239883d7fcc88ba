import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Folders } from "../../../git/http/real-git.ts";
import { join, makeOrganization, makeTeam } from "../../organization/make.ts";
import { type ServedGit, serveGit } from "../serve-git.ts";

export let api: TestApi;
export let served: ServedGit;
export const folders = new Folders();
export let alice: Caller;
export let bob: Caller;
export let carol: Caller;
export let boss: Caller;
export let builders = 0;
export let made = 0;
export let name = "";
export let id = 0;

export const transfer = (new_owner: string, as: Caller | undefined = alice, more: object = {}) =>
  api.call("POST", `/repos/alice/${name}/transfer`, { as, body: { new_owner, ...more } });
export const answer = (word: "accept" | "reject", as: Caller) =>
  api.call("POST", `/repos/alice/${name}/transfer/${word}`, { as });
export const read = (path: string, as?: Caller) => api.call("GET", `/repos/${path}`, { as });
export const statusOf = async (path: string, as?: Caller) => (await read(path, as)).status;
export const checked = async () => expect(await checkRepository(api.forge, id)).toEqual([]);

/** Makes it before the tests of a file, and takes it away after them. */
export function useTransfers(): void {
  beforeAll(async () => {
    api = await makeApi();
    served = await serveGit(api);
    alice = await api.makeUser({ name: "alice" });
    bob = await api.makeUser({ name: "bob" });
    carol = await api.makeUser({ name: "carol" });
    boss = await api.makeUser({ name: "boss", isAdmin: true });
    await makeOrganization(api, carol, "acme");
    builders = await makeTeam(api, carol, "acme", "builders", {
      units_map: { "repo.code": "read" },
      can_create_org_repo: true,
    });
    await join(api, carol, builders, bob);
    await makeOrganization(api, carol, "secret", { visibility: "private" });
  });
  beforeEach(async () => {
    made += 1;
    name = `Wares-${made}`;
    const body = { name, private: true };
    const answer = await api.call("POST", "/user/repos", { as: alice, body });
    expect(answer.status).toBe(201);
    id = answer.json.id;
  });
  afterAll(async () => {
    await folders.remove();
    await served.stop();
    await api.stop();
  });
}
