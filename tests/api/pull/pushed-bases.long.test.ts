import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { measured } from "#tests/support/measured";
import { makePullWorld, type PullWorld } from "./pull-world.ts";

let world: PullWorld;
beforeAll(async () => {
  world = await makePullWorld();
});
afterAll(() => world.api.stop());

/** Points main at the tip of another branch, as a push does. */
async function bringToMain(repository: string, branch: string): Promise<string> {
  const { api, alice } = world;
  const { json } = await api.call("GET", `${repository}/branches/${branch}`, { as: alice });
  const body = { new_commit_id: json.commit.id };
  await api.call("PUT", `${repository}/branches/main`, { as: alice, body });
  return json.commit.id;
}

describe("a push that brings a request's head into its base", () => {
  it("marks the request as merged where the repository wants it (semantics §22.5)", async () => {
    const repository = await world.makeRepository("detected");
    const body = { autodetect_manual_merge: true, allow_manual_merge: true, has_pull_requests: true };
    await world.api.call("PATCH", repository, { as: world.alice, body });
    await world.commitOn(repository, "topic");
    await world.commitOn(repository, "other");
    const number = await world.open(repository, "topic", "main");
    const other = await world.open(repository, "other", "main");
    await world.runEvents();
    const sha = await bringToMain(repository, "topic");
    await world.runEvents();
    const { json } = await world.api.call("GET", `${repository}/pulls/${number}`, { as: world.alice });
    expect(json).toMatchObject({ state: "closed", merged: true, merge_commit_sha: sha });
    expect(json.merged_by.login).toBe("alice");
    expect(await world.show(repository, other)).toMatchObject({ state: "open" });
  });

  it("leaves it open where the repository does not say so", async () => {
    const repository = await world.makeRepository("undetected");
    await world.commitOn(repository, "topic");
    const number = await world.open(repository, "topic", "main");
    await bringToMain(repository, "topic");
    await world.runEvents();
    expect(await world.show(repository, number)).toMatchObject({ state: "open" });
  });
});

/** The requests to the table that a commit on main takes, the caller and what follows at once included. */
async function requestsOfPush(repository: string, path: string): Promise<number> {
  const { api, alice: as } = world;
  const body = { content: "", message: "Write", branch: "main" };
  const { status, headers } = await api.call("POST", `${repository}/contents/${path}`, { as, body });
  expect(status).toBe(201);
  return Number(/table;desc="(\d+)/.exec(headers.get("server-timing") ?? "")?.[1]);
}

describe("a push to a base with many open requests", () => {
  let repository: string;
  /** By the number of open requests: what the caller, and then the worker, asks of the table. */
  const asked = new Map<number, { readonly push: number; readonly work: number }>();

  beforeAll(async () => {
    const { api, alice } = world;
    repository = await world.makeRepository("busy");
    await world.commitOn(repository, "topic");
    let made = 0;
    for (const wanted of [5, 52, 62]) {
      for (; made < wanted; made += 1) {
        const body = { new_branch_name: `head-${made}`, old_branch_name: "topic" };
        await api.call("POST", `${repository}/branches`, { as: alice, body });
        await world.open(repository, `head-${made}`, "main");
      }
      await world.runEvents();
      const push = await requestsOfPush(repository, `${wanted}.txt`);
      const { usage } = await measured(world.runEvents);
      asked.set(wanted, { push, work: usage.tableRequests });
    }
  });

  it("takes as many requests to the table with 62 of them as with 5; the worker as many as with 52", () => {
    const [few, many, more] = [asked.get(5), asked.get(52), asked.get(62)];
    expect(few?.push).toBeGreaterThan(0);
    expect([many?.push, more?.push]).toEqual([few?.push, few?.push]);
    expect(more?.work).toBe(many?.work);
  });

  it("marks all as merged whose heads it brings, the oldest too, where the repository wants it (semantics §22.5)", async () => {
    const { api, alice } = world;
    const body = { autodetect_manual_merge: true, allow_manual_merge: true, has_pull_requests: true };
    await api.call("PATCH", repository, { as: alice, body });
    await api.call("POST", `${repository}/pulls/62/merge`, { as: alice, body: { Do: "merge" } });
    await world.runEvents();
    const { headers } = await api.call("GET", `${repository}/pulls?state=open`, { as: alice });
    expect(headers.get("x-total-count")).toBe("0");
    for (const number of [1, 30, 61]) {
      const { json } = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
      expect(json).toMatchObject({ merged: true, merged_by: { login: "alice" } });
    }
    const { json } = await api.call("GET", repository, { as: alice });
    expect(await checkRepository(api.forge, json.id)).toEqual([]);
  });
});
