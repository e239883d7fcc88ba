import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jobId } from "#core/actions/actions.table";
import { job, makeRun, makeRunner } from "#tests/runners/make";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { makeOrganization } from "../organization/make.ts";

let api: TestApi;
let owner: Caller;
let other: Caller;
let boss: Caller;
let repository = { id: 0, ownerId: 0 };
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  other = await api.makeUser({ name: "otto" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, owner, "acme");
  repository = { id: await makeRepository(api, owner, "r"), ownerId: owner.user.id };
  const text = "on: push\njobs: {a: {runs-on: linux}, b: {runs-on: [linux, gpu]}}";
  const jobs = [job("a"), job("b", { runsOn: ["linux", "gpu"] }), job("c", { needs: ["a"] })];
  await makeRun(api, repository, jobs, text);
});
afterAll(() => api.stop());

const list = (path: string, labels: string, as?: Caller) =>
  api.call("GET", `${path}?labels=${labels}`, { as });
const names = ({ json }: { json: JsonValue }) => json.map(({ name }: JsonValue) => name);
const paths = [
  ["repoSearchRunJobs", "/repos/olga/r/actions/runners/jobs", () => owner, 403],
  ["userSearchRunJobs", "/user/actions/runners/jobs", () => owner, 200],
  ["adminGetActionRunJobs", "/admin/actions/runners/jobs", () => boss, 403],
  ["adminSearchRunJobs", "/admin/runners/jobs", () => boss, 403],
] as const;

describe.each(paths)("%s (semantics §63.2)", (_id, path, by, refused) => {
  it("200: the jobs that wait, whose labels are all named; 401 for nobody, nothing of them for others", async () => {
    const found = await list(path, "linux,arm", by());
    expect([found.status, found.json]).toEqual([
      200,
      [
        {
          ...{ id: jobId(repository.id, 1), repo_id: repository.id, owner_id: owner.user.id, name: "a" },
          ...{ needs: [], runs_on: ["linux"], task_id: 0, attempt: 1, status: "waiting" },
        },
      ],
    ]);
    expect(names(await list(path, "linux,gpu", by()))).toEqual(["a", "b"]);
    for (const labels of ["gpu", ""]) expect(names(await list(path, labels, by()))).toEqual([]);
    expect((await list(path, "linux")).status).toBe(401);
    const stranger = await list(path, "linux,gpu", other);
    expect(stranger.status).toBe(refused);
    if (refused === 200) expect(stranger.json).toEqual([]);
  });
});

describe("orgSearchRunJobs", () => {
  it("200: nothing of other owners' jobs; with a job that runs its task is named", async () => {
    const path = "/orgs/acme/actions/runners/jobs";
    expect((await list(path, "linux,gpu", owner)).json).toEqual([]);
    const { json } = await api.call("POST", "/orgs/acme/repos", { as: owner, body: { name: "own" } });
    const place = { id: json.id, ownerId: json.owner.id };
    await makeRun(api, place, [job("a"), job("b")], "on: push\njobs: {a: {steps: []}, b: {steps: []}}");
    const runner = await makeRunner(api, { kind: "repository", ...place }, ["linux"]);
    const { message } = await runner.call("FetchTask", {});
    const found = await list(path, "linux", owner);
    expect(found.json).toMatchObject([
      { name: "a", status: "running", task_id: Number(message.task.id) },
      { name: "b", status: "waiting", task_id: 0 },
    ]);
    expect((await list(path, "linux", other)).status).toBe(403);
  });
});
