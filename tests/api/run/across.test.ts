import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimJob } from "#core/actions/queue/claim-job";
import { listRunsAcross } from "#core/actions/run/runs-across";
import { countedBy } from "#core/forge";
import { countInto, noUsage } from "#core/meter";
import type { ApiAnswer, Caller } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { type RunWorld, startRuns, workflow } from "./world.ts";

const file = ".forgejo/workflows/ci.yml";
const two = `name: CI
on: push
jobs:
  a: {runs-on: docker, steps: [{run: "true"}]}
  b: {needs: a, runs-on: docker, steps: [{run: "true"}]}
`;

let world: RunWorld;
let administrator: Caller;
/** Two runs of the owner's, of which the second is private; one of the organization's; in this order. */
beforeAll(async () => {
  world = await startRuns();
  const { api, owner } = world;
  administrator = await api.makeUser({ name: "adele", isAdmin: true });
  for (const hidden of [false, true]) {
    await world.begin();
    await world.patch({ private: hidden });
    await world.push({ [file]: two });
    api.clock.advance(10_000);
  }
  await api.call("POST", "/orgs", { as: owner, body: { username: "works" } });
  await makeOrganizations("one", false);
  await makeOrganizations("two", true);
});
afterAll(() => world.api.stop());

async function makeOrganizations(name: string, isPrivate: boolean): Promise<void> {
  const { api, owner } = world;
  await api.call("POST", "/orgs/works/repos", { as: owner, body: { name, private: isPrivate } });
  const content = Buffer.from(workflow("push")).toString("base64");
  const path = `/repos/works/${name}/contents/${file}`;
  await api.call("POST", path, { as: owner, body: { content } });
  await world.finish();
  api.clock.advance(10_000);
}

const ask = (path: string, as: Caller | undefined): Promise<ApiAnswer> => world.api.call("GET", path, { as });
const shown = async (path: string, as: Caller) => {
  const { status, json, headers } = await ask(path, as);
  const rows = json.workflow_runs ?? json.jobs;
  return {
    status,
    of: rows?.map(
      (one: { name: string; repository?: { full_name: string } }) => one.repository?.full_name ?? one.name,
    ),
    total: json.total_count,
    counted: headers.get("x-total-count"),
  };
};

describe("getUserWorkflowRuns, getOrgWorkflowRuns, listAdminWorkflowRuns", () => {
  it("200: runs of all repositories of a place, the newest first, by pages", async () => {
    expect(await shown("/user/actions/runs", world.owner)).toEqual({
      ...{ status: 200, of: ["olga/r2", "olga/r1"], total: 2, counted: "2" },
    });
    const page = await shown("/admin/actions/runs?limit=2&page=2", administrator);
    expect(page).toEqual({ status: 200, of: ["olga/r2", "olga/r1"], total: 4, counted: "4" });
    expect((await shown("/admin/actions/runs?limit=2&page=9999999", administrator)).of).toEqual([]);
    expect((await shown("/orgs/works/actions/runs", world.owner)).of).toEqual(["works/two", "works/one"]);
    expect((await shown("/user/actions/runs", world.stranger)).total).toBe(0);
  });

  it("200: filtered as those of one repository (D-RUNS)", async () => {
    const total = async (query: string) => (await shown(`/admin/actions/runs?${query}`, administrator)).total;
    expect(await total("event=push&status=queued")).toBe(4);
    expect(await total("event=schedule")).toBe(0);
    expect([await total("actor=olga"), await total("actor=wim"), await total("branch=main")]).toEqual([
      4, 0, 4,
    ]);
    expect((await ask("/admin/actions/runs?status=bogus", administrator)).status).toBe(400);
  });

  it.each([
    ["getUserWorkflowRuns", "/user/actions/runs"],
    ["getUserWorkflowJobs", "/user/actions/jobs"],
    ["listAdminWorkflowRuns", "/admin/actions/runs"],
    ["listAdminWorkflowJobs", "/admin/actions/jobs"],
  ])("400: %s knows no such state", async (_id, path) => {
    expect((await ask(`${path}?status=bogus`, administrator)).status).toBe(400);
  });

  it("401, 403, 404: strangers; members see what they may read alone (D-HIDDEN)", async () => {
    for (const list of ["runs", "jobs"]) {
      expect((await ask(`/user/actions/${list}`, undefined)).status).toBe(401);
      expect((await ask(`/admin/actions/${list}`, world.owner)).status).toBe(403);
      expect((await ask(`/orgs/works/actions/${list}`, world.stranger)).status).toBe(403);
      expect((await ask(`/orgs/nowhere/actions/${list}`, world.stranger)).status).toBe(404);
    }
    const { api, owner, writer } = world;
    const team = { name: "readers", permission: "read", units: ["repo.code"] };
    const made = await api.call("POST", "/orgs/works/teams", { as: owner, body: team });
    await api.call("PUT", `/teams/${made.json.id}/members/${writer.name}`, { as: owner });
    expect((await shown("/orgs/works/actions/runs", writer)).of).toEqual(["works/one"]);
    await api.call("PUT", `/teams/${made.json.id}/repos/works/two`, { as: owner });
    expect((await shown("/orgs/works/actions/runs", writer)).of).toEqual(["works/one"]);
    await api.call("PATCH", `/teams/${made.json.id}`, {
      ...{ as: owner, body: { ...team, units: ["repo.code", "repo.actions"] } },
    });
    expect((await shown("/orgs/works/actions/runs", writer)).of).toEqual(["works/two", "works/one"]);
  });
});

it("403: a token of users' things alone sees no runs of private repositories; with that of repositories 200", async () => {
  const { api, owner } = world;
  for (const list of ["runs", "jobs"]) {
    const by = async (...scopes: string[]) => {
      const headers = { authorization: `token ${await api.makeToken(owner, scopes)}` };
      const { status, json } = await api.call("GET", `/user/actions/${list}`, { headers });
      return [status, json.total_count];
    };
    expect(await by("read:user")).toEqual([403, undefined]);
    expect(await by("read:user", "read:repository")).toEqual([200, list === "runs" ? 2 : 4]);
    expect(await by("public-only", "read:user", "read:repository")).toEqual([200, list === "runs" ? 1 : 2]);
  }
});

describe("getUserWorkflowJobs, getOrgWorkflowJobs, listAdminWorkflowJobs", () => {
  it("200: by state, by order, by pages that begin within a run", async () => {
    expect((await shown("/user/actions/jobs", world.owner)).of).toEqual(["a", "b", "a", "b"]);
    const page = await shown("/admin/actions/jobs?limit=3&page=2", administrator);
    expect(page).toMatchObject({ of: ["b", "a", "b"], total: 6 });
    const oldest = await shown("/admin/actions/jobs?limit=3&page=2&sort=created&order=asc", administrator);
    expect(oldest.of).toEqual(["b", "build", "build"]);
    expect((await shown("/admin/actions/jobs?status=blocked", administrator)).of).toEqual(["b", "b"]);
    expect((await shown("/orgs/works/actions/jobs?status=waiting", world.owner)).of).toEqual([
      "build",
      "build",
    ]);
    for (const wrong of ["sort=size", "order=up"]) {
      expect((await ask(`/user/actions/jobs?${wrong}`, world.owner)).status).toBe(422);
      expect((await ask(`/repos/olga/r1/actions/jobs?${wrong}`, world.owner)).status).toBe(422);
    }
  });

  it("200: with the runner and the steps of a job that was taken", async () => {
    await claimJob(world.api.forge, { runnerId: 1, level: { kind: "global" }, labels: ["docker"] });
    const { jobs } = (await ask("/user/actions/jobs?status=in_progress", world.owner)).json;
    expect(jobs).toMatchObject([{ name: "a", runner_id: 1, status: "running" }]);
  });
});

it("lists of all repositories read no more for those that never ran (docs/limits.md)", async () => {
  const requests = async () => {
    const usage = noUsage();
    const forge = countedBy(world.api.forge, countInto(usage));
    await listRunsAcross(forge, { user: administrator.user }, undefined, {}, { page: 1, limit: 30 });
    return usage.tableRequests;
  };
  const before = await requests();
  for (const name of ["idle1", "idle2", "idle3"]) await makeRepository(world.api, world.owner, name);
  expect(await requests()).toBe(before);
});
