import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import { checkRepository } from "#core/lifecycle/check/check";
import type { Usage } from "#core/meter";
import { createPull } from "#core/pull/create";
import { type Judgement, judgementKey } from "#core/pull/pull.table";
import { serveGit } from "#tests/api/repository/serve-git";
import { bareRepository, gitText } from "#tests/git/pack/real-git";
import { measured } from "#tests/support/measured";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
beforeAll(async () => {
  world = await makePullWorld({}, { simulation: false });
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

/** So many requests are open when pushes to their base are counted. The first of them bring one commit, all others another. */
const [few, some, many] = [5, 62, 1_000] as const;

/** A repository of alice's with branches for all requests; its path. */
async function makeBusy(): Promise<string> {
  const { api, alice } = world;
  const repository = await world.makeRepository("busy");
  for (const branch of ["topic", "other"]) await world.commitOn(repository, branch);
  const served = await serveGit(api);
  const folder = await bareRepository("sha1", "file");
  const url = served.url("alice/busy", alice);
  await gitText(folder, ["fetch", "-q", url, "refs/heads/*:refs/heads/*"]);
  const heads = Array.from({ length: many }, (_, at) => `head-${at + 1}`);
  const refs = heads.map((head, at) => `${at < some ? "topic" : "other"}:refs/heads/${head}`);
  await gitText(folder, ["push", "-q", url, ...refs]);
  await served.stop();
  return repository;
}

describe("a push to a base with many open requests", () => {
  let repository: string;
  let repositoryId: number;
  /** By the number of open requests: what the caller asks of the table, and then the worker of all stores. */
  const asked = new Map<number, { readonly push: number; readonly work: Usage }>();

  beforeAll(async () => {
    const { api, alice } = world;
    repository = await makeBusy();
    repositoryId = (await api.call("GET", repository, { as: alice })).json.id;
    const actor = { user: alice.user };
    const access = await findAccessById(api.forge, actor, repositoryId);
    if (access === undefined) throw new Error("no access");
    let made = 0;
    for (const wanted of [few, some, many]) {
      for (; made < wanted; made += 1) {
        const given = { title: "T", base: "main", head: `head-${made + 1}` };
        await createPull(api.forge, access, given, actor);
      }
      await world.runEvents();
      // An hour whose heat map is full asks for one request more.
      api.clock.advance(3_600_000);
      // What the first push finds due in the storage of git is done before the second, which counts.
      for (const name of ["first", "second"]) {
        const push = await requestsOfPush(repository, `${name}-${wanted}.txt`);
        const message = await world.takePush();
        const { usage } = await measured(() => world.work(message));
        asked.set(wanted, { push, work: usage });
      }
    }
  }, 1_200_000);

  it("asks as much of the table with 1,000 of them as with 5, and the worker of all stores as with 62", () => {
    const [least, first, last] = [asked.get(few), asked.get(some), asked.get(many)];
    expect(least?.push).toBeGreaterThan(0);
    expect([first?.push, last?.push]).toEqual([least?.push, least?.push]);
    expect(first?.work.tableRequests).toBeGreaterThan(50);
    expect(last?.work).toEqual(first?.work);
  });

  it("leaves the newest 50 judged by the worker, all others to their next reader", async () => {
    const { api, alice } = world;
    const { json: main } = await api.call("GET", `${repository}/branches/main`, { as: alice });
    const isJudged = async (number: number) => {
      const kept = await api.forge.table.get<Judgement>(judgementKey(repositoryId, number));
      return kept?.baseId === main.commit.id;
    };
    const judged = [];
    for (let number = 1; number <= many; number += 1) if (await isJudged(number)) judged.push(number);
    expect(judged).toEqual(Array.from({ length: 50 }, (_, at) => many - 49 + at));
    const { json } = await api.call("GET", `${repository}/pulls/500`, { as: alice });
    expect([json.mergeable, json.base.sha, await isJudged(500)]).toEqual([true, main.commit.id, true]);
  });

  it("marks all as merged whose heads it brings, the oldest too, where the repository wants it (semantics §22.5)", async () => {
    const { api, alice } = world;
    const body = { autodetect_manual_merge: true, allow_manual_merge: true, has_pull_requests: true };
    await api.call("PATCH", repository, { as: alice, body });
    await api.call("POST", `${repository}/pulls/${some}/merge`, { as: alice, body: { Do: "merge" } });
    await world.runEvents();
    const { headers } = await api.call("GET", `${repository}/pulls?state=open`, { as: alice });
    expect(headers.get("x-total-count")).toBe(`${many - some}`);
    for (const number of [1, 30, some - 1]) {
      const { json } = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
      expect(json).toMatchObject({ merged: true, merged_by: { login: "alice" } });
    }
    expect(await checkRepository(api.forge, repositoryId)).toEqual([]);
  });
});
