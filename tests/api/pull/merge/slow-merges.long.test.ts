import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import { isForgeError } from "#core/errors";
import { checkRepository } from "#core/lifecycle/check/check";
import { mergePull } from "#core/pull/merge/merge";
import { type PullMergeStyle, pullMergeStyles } from "#core/pull/merge/wanted";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import type { Service } from "#tests/support/faults";
import { type PullRepositories, pullRepositories } from "../pull-repositories.ts";

let api: TestApi;
let alice: Caller;
let repositories: PullRepositories;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  repositories = pullRepositories(api, alice);
});
afterAll(() => api.stop());
afterEach(endSlowness);

/** From now on one request to the stores takes 26 s by the clock that measures time: the one after `skip` others. */
function slowDown(skip: number, services: readonly Service[] = ["dynamodb", "s3"]): void {
  let [seen, lateMs] = [0, 0];
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + lateMs);
  const fits = () => {
    seen += 1;
    if (seen === skip + 1) lateMs = 26_000;
    return false;
  };
  for (const service of services) api.faults.inject({ service, fault: "throttled", fits });
}

function endSlowness(): void {
  vi.restoreAllMocks();
  api.faults.recover();
}

const get = async (path: string) => (await api.call("GET", path, { as: alice })).json;

/** All that a merge could change, and the objects in the bucket. */
async function stateOf(repository: string, number: number): Promise<object> {
  const objects: string[] = [];
  for await (const { key } of api.forge.blobs.list("")) objects.push(key);
  const { updated_at: _at, ...shown } = await get(repository);
  const [pull, refs] = [await get(`${repository}/pulls/${number}`), await get(`${repository}/git/refs`)];
  return { objects, shown, pull, refs, timeline: await get(`${repository}/issues/${number}/timeline`) };
}

/** A request whose base went on, unless it is to be fast-forwarded. */
async function requested(style: PullMergeStyle) {
  const repository = await repositories.make(`slow-${style}`);
  const body = { has_pull_requests: true, allow_manual_merge: true };
  await api.call("PATCH", repository, { as: alice, body });
  if (style !== "fast-forward-only") await repositories.commitOn(repository, "main", "main.txt");
  await repositories.commitOn(repository, "topic", "topic.txt");
  const number = await repositories.open(repository, "topic");
  const actor = { user: alice.user };
  const { id } = await get(repository);
  const access = await findAccessById(api.forge, actor, id);
  if (access === undefined) throw new Error("no access");
  const commitId = await repositories.tipOf(repository, "main");
  return {
    repository,
    id,
    number,
    merge: () => mergePull(api.forge, access, number, { style, commitId }, actor),
  };
}

describe("repoMergePullRequest over slow stores (D-TIME)", () => {
  it.each(pullMergeStyles)(
    "%s: refused with nothing changed, whichever of its requests takes 26 s; the next try merges",
    async (style) => {
      const { repository, id, number, merge } = await requested(style);
      const before = await stateOf(repository, number);
      let refused = 0;
      for (let isMerged = false; !isMerged; ) {
        slowDown(refused);
        const failure = await merge().then(
          () => undefined,
          (error: unknown) => error,
        );
        endSlowness();
        isMerged = failure === undefined;
        if (isMerged) break;
        expect(failure).toSatisfy((error) => isForgeError(error, "unavailable"));
        refused += 1;
        expect(await stateOf(repository, number)).toEqual(before);
      }
      expect(refused).toBeGreaterThan(5);
      expect((await get(`${repository}/pulls/${number}`)).merged).toBe(true);
      expect(await checkRepository(api.forge, id)).toEqual([]);
    },
  );

  it("503 with Retry-After and what to do when the new objects take 26 s to write; 200 the next time", async () => {
    const repository = await repositories.make("answered");
    await repositories.commitOn(repository, "topic", "topic.txt");
    const number = await repositories.open(repository, "topic");
    const merge = () =>
      api.call("POST", `${repository}/pulls/${number}/merge`, { as: alice, body: { Do: "merge" } });
    const before = await stateOf(repository, number);
    slowDown(0, ["s3"]);
    const { status, headers, json } = await merge();
    endSlowness();
    expect([status, Number(headers.get("retry-after"))]).toEqual([503, expect.toSatisfy((one) => one > 0)]);
    expect(json.message).toContain("merge with git and push");
    expect(await stateOf(repository, number)).toEqual(before);
    expect((await merge()).status).toBe(200);
  });
});
