import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueueMessage } from "#core/events/queue-message";
import { issueKey } from "#core/issue/issue.table";
import { afterMerge } from "#core/pull/merge/after-merge";
import type { PullRequest } from "#core/pull/pull.table";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
beforeAll(async () => {
  world = await makePullWorld();
});
afterAll(() => world.api.stop());

const call = (method: string, path: string, body?: object) =>
  world.api.call(method, path, { as: world.alice, ...(body && { body }) });

/** Something that pushes, whose requests don't follow at once; the message that lets the worker do it. */
async function unfollowed(push: () => Promise<unknown>): Promise<QueueMessage> {
  await world.api.queues.take("repository-events");
  const fits = (input: object) => /"(HEAD|BASE)#/.test(JSON.stringify(input));
  const broken = world.api.faults.inject({
    ...{ service: "dynamodb", operation: "Query", fault: new Error("not now"), fits },
  });
  await push();
  expect(broken.hits).toBe(1);
  return world.takePush();
}

const rename = (repository: string, from: string, to: string) => () =>
  call("PATCH", `${repository}/branches/${from}`, { name: to });

/** A request from `child` into `feature`. */
async function requested(name: string): Promise<string> {
  const repository = await world.makeRepository(name);
  await world.commitOn(repository, "feature");
  await world.commitOn(repository, "child", "feature");
  await world.open(repository, "child", "feature");
  return repository;
}

describe("what the worker does when two changes of a branch are told in reverse order", () => {
  it.each([
    ["feature", { base: "third", head: "child" }],
    ["child", { base: "feature", head: "third" }],
  ])("two new names of %s: the request has the second", async (branch, expected) => {
    const repository = await requested(`twice-${branch}`);
    const first = await unfollowed(rename(repository, branch, "second"));
    const second = await unfollowed(rename(repository, "second", "third"));
    await world.work(second);
    await world.work(first);
    expect(await world.show(repository, 1)).toMatchObject({ state: "open", ...expected });
  });

  it.each(["feature", "child"])(
    "a new name of %s, and its deletion: the request is closed",
    async (branch) => {
      const repository = await requested(`deleted-${branch}`);
      const first = await unfollowed(rename(repository, branch, "second"));
      const second = await unfollowed(() => world.removeBranch(repository, "second"));
      await world.work(second);
      await world.work(first);
      expect((await world.show(repository, 1)).state).toBe("closed");
    },
  );

  it("a name that is in use again since then is not taken for the former branch", async () => {
    const repository = await requested("again");
    await rename(repository, "feature", "second")();
    await rename(repository, "second", "third")();
    await world.commitOn(repository, "other");
    await world.open(repository, "child", "other");
    const late = await unfollowed(rename(repository, "other", "second"));
    await unfollowed(() => world.removeBranch(repository, "second"));
    await world.work(late);
    expect(await world.show(repository, 1)).toMatchObject({ state: "open", base: "third" });
    expect((await world.show(repository, 2)).state).toBe("closed");
  });
});

describe("a scheduled merge whose head follows late", () => {
  it("is done when the checks of the new head were told before (semantics §22.6)", async () => {
    const repository = await world.makeRepository("scheduled");
    await world.commitOn(repository, "topic");
    const number = await world.open(repository, "topic", "main");
    const wanted = { Do: "merge", merge_when_checks_succeed: true };
    expect((await call("POST", `${repository}/pulls/${number}/merge`, wanted)).status).toBe(201);
    let head = "";
    const push = await unfollowed(async () => {
      head = await world.commitOn(repository, "topic");
    });
    await call("POST", `${repository}/statuses/${head}`, { state: "success", context: "ci" });
    await world.runEvents();
    expect((await call("GET", `${repository}/pulls/${number}/merge`)).status).toBe(404);
    await world.work(push);
    await world.runEvents();
    expect((await call("GET", `${repository}/pulls/${number}/merge`)).status).toBe(204);
  });
});

describe("what follows a merge, told twice", () => {
  it.each(["open", "closed"])(
    "leaves an issue alone that was %s at the merge and opened since then",
    async (state) => {
      const repository = await world.makeRepository(`told-${state}`);
      const { json: issue } = await call("POST", `${repository}/issues`, { title: "Bug" });
      const path = `${repository}/issues/${issue.number}`;
      await world.commitOn(repository, "topic");
      const body = { title: "T", body: `fixes #${issue.number}`, head: "topic", base: "main" };
      const { json } = await call("POST", `${repository}/pulls`, body);
      await call("PATCH", path, { state });
      await call("POST", `${repository}/pulls/${json.number}/merge`, { Do: "merge" });
      expect((await call("GET", path)).json.state).toBe("closed");
      await call("PATCH", path, { state: "open" });
      const pull = await world.api.forge.table.get<PullRequest>(issueKey(json.base.repo_id, json.number));
      const { merge } = pull?.pull ?? {};
      if (merge === undefined) throw new Error("not merged");
      const merged = { repositoryId: json.base.repo_id, number: json.number, deletesBranch: false, ...merge };
      await afterMerge(world.api.forge, merged, { user: world.alice.user });
      expect((await call("GET", path)).json.state).toBe("open");
    },
  );
});
