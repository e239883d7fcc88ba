import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CrashWorld, makeCrashWorld } from "./crash-world.ts";

/** Kills what is done with pull requests after every `step`-th write: it is done or not, and can be done again. */
export function testPullCrashes(step: number): void {
  describe("a process that is killed between its writes", () => {
    let world: CrashWorld;
    beforeAll(async () => {
      world = await makeCrashWorld();
    });
    afterAll(() => world.stop());

    it("of repoCreatePullRequest from a fork: one request at most, and the next try makes one", async () => {
      expect(await killCreate(world, step)).toBeGreaterThan(2);
    });
    it("of a merge that deletes its branch: it is done or not, issues are closed, and the request into the branch goes on (B-05)", async () => {
      expect(await killMerge(world, step)).toBeGreaterThan(5);
    });
    it("of a merge that is to wait for checks: it waits or not, and is done when they succeed (semantics §22.6)", async () => {
      expect(await killSchedule(world)).toBeGreaterThan(0);
    });
    it("of the worker that merges when the checks succeed: one merge is made", async () => {
      expect(await killScheduled(world, step)).toBeGreaterThan(5);
    });
    it("of repoUpdatePullRequest: the fork's branch and the request agree", async () => {
      expect(await killUpdate(world, step)).toBeGreaterThan(1);
    });
  });
}

function killCreate(world: CrashWorld, step: number): Promise<number> {
  const { bob, call, get } = world;
  const open = (repository: string) =>
    call("POST", `${repository}/pulls`, { title: "T", head: "bob:topic", base: "main" }, bob);
  return world.killAt(step, {
    async prepare(name) {
      const repository = await world.make(`open-${name}`);
      await world.commitOn(await world.fork(repository), "topic", "a.txt", { as: bob });
      return { repository };
    },
    run: ({ repository }) => open(repository),
    async check({ repository }) {
      const before = await get(`${repository}/pulls`);
      expect((await open(repository)).status).toBe(before.length === 0 ? 201 : 409);
      expect((await get(repository)).open_pr_counter).toBe(1);
      expect(await get(`${repository}/pulls`)).toMatchObject([{ mergeable: true, changed_files: 1 }]);
    },
  });
}

function killMerge(world: CrashWorld, step: number): Promise<number> {
  const { call, get } = world;
  const merge = (path: string) =>
    call("POST", `${path}/merge`, { Do: "squash", delete_branch_after_merge: true });
  return world.killAt(step, {
    async prepare(name) {
      const repository = await world.make(`merge-${name}`);
      await world.commitOn(repository, "topic", "a.txt");
      await world.commitOn(repository, "child", "b.txt", { from: "topic" });
      await call("POST", `${repository}/issues`, { title: "Bug" });
      const number = await world.open(repository, "topic", { body: "fixes #1" });
      const child = await world.open(repository, "child", { base: "topic" });
      return { repository, pull: `${repository}/pulls/${number}`, child };
    },
    run: ({ pull }) => merge(pull),
    async check({ repository, pull, child }) {
      const { merged } = await get(pull);
      const commits = async () => (await get(`${repository}/commits?sha=main&files=false`)).length;
      expect(await commits()).toBe(merged ? 2 : 1);
      expect((await merge(pull)).status).toBe(merged ? 405 : 200);
      await world.work();
      expect([await commits(), (await call("GET", `${repository}/branches/topic`)).status]).toEqual([2, 404]);
      expect(await get(`${repository}/pulls/${child}`)).toMatchObject({
        ...{ state: "open", base: { ref: "main" } },
      });
      const timeline = await get(`${repository}/issues/${child}/timeline`);
      expect(timeline.map(({ type }: { type: string }) => type)).toEqual(["change_target_branch"]);
      expect(await get(repository)).toMatchObject({ open_pr_counter: 1, open_issues_count: 0 });
    },
  });
}

const later = { Do: "merge", merge_when_checks_succeed: true, delete_branch_after_merge: true };

/** A request, and the report that its check succeeded. */
async function prepareChecked(world: CrashWorld, name: string) {
  const repository = await world.make(name);
  const head = await world.commitOn(repository, "topic", "a.txt");
  await world.open(repository, "topic");
  const succeed = async () => {
    const status = { state: "success", context: "ci" };
    await world.call("POST", `${repository}/statuses/${head}`, status);
    await world.work();
  };
  return { repository, succeed, schedule: () => world.call("POST", `${repository}/pulls/1/merge`, later) };
}

async function requireOneMerge(world: CrashWorld, repository: string): Promise<void> {
  expect((await world.get(`${repository}/pulls/1`)).merged).toBe(true);
  expect(await world.get(`${repository}/commits?sha=main&files=false`)).toHaveLength(3);
  expect((await world.call("GET", `${repository}/branches/topic`)).status).toBe(404);
}

/** After each of its few writes. */
const killSchedule = (world: CrashWorld): Promise<number> =>
  world.killAt(1, {
    prepare: (name) => prepareChecked(world, `later-${name}`),
    run: ({ schedule }) => schedule(),
    async check({ repository, schedule, succeed }) {
      const told = await world.get(`${repository}/issues/1/timeline`);
      expect((await schedule()).status).toBe(told.length === 0 ? 201 : 409);
      await succeed();
      await requireOneMerge(world, repository);
    },
  });

const killScheduled = (world: CrashWorld, step: number): Promise<number> =>
  world.killAt(step, {
    async prepare(name) {
      const place = await prepareChecked(world, `checked-${name}`);
      await place.schedule();
      return place;
    },
    run: ({ succeed }) => succeed(),
    async check({ repository, succeed }) {
      await succeed();
      await requireOneMerge(world, repository);
    },
  });

function killUpdate(world: CrashWorld, step: number): Promise<number> {
  const { bob, call, get } = world;
  return world.killAt(step, {
    async prepare(name, write) {
      const repository = await world.make(`update-${name}`);
      const fork = await world.fork(repository);
      const head = await world.commitOn(fork, "topic", "a.txt", { as: bob });
      await world.open(repository, "bob:topic", {}, bob);
      await world.commitOn(repository, "main", "b.txt");
      const style = write % 2 === 0 ? "merge" : "rebase";
      return { repository, fork, head, update: `${repository}/pulls/1/update?style=${style}` };
    },
    run: ({ update }) => call("POST", update, undefined, bob),
    async check({ repository, fork, head, update }) {
      const tip = await world.tipOf(fork, "topic");
      expect(await get(`${repository}/pulls/1`)).toMatchObject({
        ...{ state: "open", head: { sha: tip }, mergeable: true, changed_files: 1 },
      });
      expect((await call("POST", update, undefined, bob)).status).toBe(200);
      const updated = await world.tipOf(fork, "topic");
      expect([updated === tip, updated === head]).toEqual([tip !== head, false]);
      expect(await world.findings(fork)).toEqual([]);
    },
  });
}
