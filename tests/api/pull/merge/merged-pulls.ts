import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type PullRepositories, pullRepositories } from "../pull-repositories.ts";

/** For the file that calls it: an API with alice, an owner, and bob, and requests to merge. */
export function mergedPulls() {
  const api = {} as TestApi;
  const alice = {} as Caller;
  const bob = {} as Caller;
  const repositories = {} as PullRepositories;

  beforeAll(async () => {
    Object.assign(api, await makeApi());
    Object.assign(alice, await api.makeUser({ name: "alice" }));
    Object.assign(bob, await api.makeUser({ name: "bob", fullName: "Bob B" }));
    Object.assign(repositories, pullRepositories(api, alice));
  });
  afterAll(() => api.stop());

  const merge = (repository: string, number: number, body?: object, as = alice) =>
    api.call("POST", `${repository}/pulls/${number}/merge`, body === undefined ? { as } : { as, body });
  const commitOf = async (repository: string, sha: string) =>
    (await api.call("GET", `${repository}/git/commits/${sha}`, { as: alice })).json;
  const parentsOf = (commit: { parents: { sha: string }[] }) => commit.parents.map(({ sha }) => sha);
  const isMerged = async (repository: string, number: number) =>
    (await api.call("GET", `${repository}/pulls/${number}/merge`, { as: alice })).status;

  /** A request from `topic`, one commit on each side; what each branch had. */
  async function diverged(name: string, more: object = {}) {
    const repository = await repositories.make(name, more);
    const head = await repositories.commitOn(repository, "topic", "topic.txt");
    const base = await repositories.commitOn(repository, "main", "main.txt");
    return { repository, head, base, number: await repositories.open(repository, "topic") };
  }

  return { api, alice, bob, repositories, merge, commitOf, parentsOf, isMerged, diverged };
}
