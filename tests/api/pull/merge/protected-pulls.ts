import { afterAll, beforeAll, expect } from "vitest";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type PullRepositories, pullRepositories } from "../pull-repositories.ts";

/** For the file that calls it: an API with alice, an owner, and bob, and requests into protected branches. */
export function protectedPulls() {
  const api = {} as TestApi;
  const alice = {} as Caller;
  const bob = {} as Caller;
  const repositories = {} as PullRepositories;

  beforeAll(async () => {
    Object.assign(api, await makeApi());
    Object.assign(alice, await api.makeUser({ name: "alice" }));
    Object.assign(bob, await api.makeUser({ name: "bob" }));
    Object.assign(repositories, pullRepositories(api, alice));
  });
  afterAll(() => api.stop());

  const merge = (repository: string, number: number, more: object = {}, as = alice) =>
    api.call("POST", `${repository}/pulls/${number}/merge`, { as, body: { Do: "merge", ...more } });
  const report = (repository: string, sha: string, state: string, context = "ci/test") =>
    api.call("POST", `${repository}/statuses/${sha}`, { as: alice, body: { state, context } });
  const isMerged = async (repository: string, number: number) =>
    (await api.call("GET", `${repository}/pulls/${number}/merge`, { as: alice })).status === 204;
  const typesIn = async (repository: string, number: number): Promise<string[]> => {
    const { json } = await api.call("GET", `${repository}/issues/${number}/timeline`, { as: alice });
    return json.map(({ type }: { type: string }) => type);
  };
  const work = () =>
    api.queues.drain("repository-events", (batch) => repositoryEventsWorker(api.forge, batch));

  /** A request into a `main` that a rule protects, and no event of another; bob is a writer. */
  async function guarded(name: string, rule: object) {
    await api.queues.take("repository-events");
    const repository = await repositories.make(name);
    await api.call("PUT", `${repository}/collaborators/bob`, { as: alice, body: { permission: "write" } });
    const head = await repositories.commitOn(repository, "topic", "src/topic.txt");
    const number = await repositories.open(repository, "topic");
    const body = { rule_name: "main", ...rule };
    expect((await api.call("POST", `${repository}/branch_protections`, { as: alice, body })).status).toBe(
      201,
    );
    return { repository, head, number };
  }

  return { api, alice, bob, repositories, merge, report, isMerged, typesIn, work, guarded };
}
