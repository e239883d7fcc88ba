import { afterAll, beforeAll, expect } from "vitest";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { setRepository } from "#tests/support/set-listed";
import { join, makeOrganization, makeRepository, makeTeam, namesIn } from "../../organization/make.ts";

/**
 * alice: apple (bob and carol have forks of it), berry (carol has one), glass (a mirror), vault (private, bob is a
 * collaborator), well (a private mirror). acme, alice's: desk (private, of a team of bob's), shelf (private, of none).
 */
export let api: TestApi;
export let alice: Caller;
export let bob: Caller;
export let carol: Caller;
export let shy: Caller;
export const forks = ["bob/apple", "carol/apple", "carol/berry"];

export async function make(method: string, path: string, as: Caller, body: object) {
  const { status, json } = await api.call(method, path, { as, body });
  expect([201, 202]).toContain(status);
  return json;
}

export const ask = (query: string, as?: Caller) => api.call("GET", `/repos/search?${query}`, { as });

/** All results of a search, whose total says the same. */
export async function found(query: string, as?: Caller): Promise<string[]> {
  const answer = await ask(query, as);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-total-count")).toBe(String(answer.json.data.length));
  return namesIn({ ...answer, json: answer.json.data });
}

/** Brings lists up to date, like the worker. */
export async function work(): Promise<void> {
  api.clock.advance(1_000);
  const drain = () =>
    api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
  for (let { done } = await drain(); done > 0; { done } = await drain());
}

/** Makes it before the tests of a file, and takes it away after them. */
export function useModes(): void {
  beforeAll(async () => {
    api = await makeApi();
    [alice, bob, carol, shy] = [
      await api.makeUser({ name: "alice" }),
      await api.makeUser({ name: "bob" }),
      await api.makeUser({ name: "carol" }),
      await api.makeUser({ name: "shy", visibility: "private" }),
    ];
    const give = (path: string) =>
      api.call("PUT", `/repos/${path}/collaborators/bob`, { as: alice, body: { permission: "read" } });
    await make("POST", "/user/repos", alice, { name: "apple" });
    await make("POST", "/user/repos", alice, { name: "berry" });
    const glass = await make("POST", "/user/repos", alice, { name: "glass" });
    await make("POST", "/user/repos", alice, { name: "vault", private: true });
    const well = await make("POST", "/user/repos", alice, { name: "well", private: true });
    for (const { id } of [glass, well]) await setRepository(api.forge, id, { isMirror: true });
    for (const path of ["alice/vault", "alice/well"]) expect((await give(path)).status).toBe(204);
    await make("POST", "/user/repos", shy, { name: "cave" });
    await make("POST", "/repos/alice/apple/forks", bob, {});
    await make("POST", "/repos/alice/apple/forks", carol, {});
    await make("POST", "/repos/alice/berry/forks", carol, {});
    await makeOrganization(api, alice, "acme");
    const team = await makeTeam(api, alice, "acme", "joiners");
    await join(api, alice, team, bob);
    await makeRepository(api, alice, "acme", "desk", { private: true });
    await makeRepository(api, alice, "acme", "shelf", { private: true });
    expect((await api.call("PUT", `/teams/${team}/repos/acme/desk`, { as: alice })).status).toBe(204);
  });
  afterAll(() => api.stop());
}
