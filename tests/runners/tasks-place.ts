import { afterAll, beforeAll, beforeEach } from "vitest";
import { jobId, type Run } from "#core/actions/actions.table";
import { readLog } from "#core/actions/log/log";
import { findRun, findTask } from "#core/actions/run/run";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { job, makeRun, makeRunner, type TestRunner } from "./make.ts";

const text = `
name: ci
on: push
env: {GREETING: hello}
jobs:
  build:
    runs-on: linux
    strategy: {matrix: {size: [1, 2]}}
    steps:
      - run: |
          echo one
          echo two
      - name: second
        uses: actions/checkout@v4
  after:
    needs: build
    runs-on: [linux]
    steps: [{run: echo}]
`;
type Jobs = Parameters<typeof makeRun>[2];

/** The place of a file's tests: a forge for all of them, and a repository of olga's for each, the `made`-th. */
export function tasksPlace() {
  let api: TestApi;
  let owner: Caller;
  let repository = { id: 0, ownerId: 0 };
  let made = 0;
  beforeAll(async () => {
    api = await makeApi();
    owner = await api.makeUser({ name: "olga" });
  });
  beforeEach(async () => {
    made += 1;
    repository = { id: await makeRepository(api, owner, `r${made}`), ownerId: owner.user.id };
  });
  afterAll(() => api.stop());
  return {
    get api() {
      return api;
    },
    get owner() {
      return owner;
    },
    get repository() {
      return repository;
    },
    get made() {
      return made;
    },
    own: (labels: readonly string[] = ["linux"], more = {}) =>
      makeRunner(api, { kind: "repository", ...repository }, labels, more),
    run: (jobs: Jobs = [job("build", { name: "build (1)", matrix: { size: 1 } })], more = {}) =>
      makeRun(api, repository, jobs, text, more),
    fetch: async (runner: TestRunner, tasksVersion = 0) =>
      (await runner.call("FetchTask", { tasksVersion })).message,
    stateOf: async ({ number }: Run, at = 0) =>
      (await findRun(api.forge, repository.id, number))?.jobs[at]?.state,
    async logOf(taskId: number) {
      const pieces: Uint8Array[] = [];
      const task = await findTask(api.forge, repository.id, taskId - jobId(repository.id, 0));
      if (task === undefined) return "";
      for await (const piece of readLog(api.forge, repository.id, task)) pieces.push(piece);
      return Buffer.concat(pieces).toString("utf8");
    },
  };
}
