import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { makeApi, type TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { ArtifactWorld } from "../artifact/world.ts";
import { makeOrganization } from "../organization/make.ts";
import { RunWorld, workflow } from "../run/world.ts";
import { expectLost } from "./lose-races.ts";

/** Others are always faster: no write that asks for the state that was read is taken. */
let api: TestApi;
let owner: Caller;
let stranger: Caller;
let runs: RunWorld;
let repository: { readonly owner: string; readonly repo: string };

const file = ".forgejo/workflows/ci.yml";
const asked = ".forgejo/workflows/asked.yml";

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "olga", isAdmin: true });
  const writer = await api.makeUser({ name: "wim" });
  stranger = await api.makeUser({ name: "sten" });
  runs = new RunWorld(api, [owner, writer, stranger]);
  await runs.begin();
  repository = { owner: "olga", repo: runs.name };
  await runs.push({ [file]: workflow("[push, pull_request]"), [asked]: workflow("workflow_dispatch") });
});
afterAll(() => api.stop());

describe("a run", () => {
  it("409: cancelWorkflowRun", async () => {
    const { id: run } = await runs.newest();
    await expectLost(api, owner, { id: "cancelWorkflowRun", place: { ...repository, run } });
  });

  it("409: deleteActionRun, rerunWorkflowRun, rerunFailedWorkflowRun, rerunWorkflowJob", async () => {
    await runs.work("failure");
    const { id: run } = await runs.newest();
    const [job] = (await runs.json("GET", `actions/runs/${run}/jobs`)).jobs;
    const place = { ...repository, run, job_id: job.id };
    for (const id of ["deleteActionRun", "rerunWorkflowRun", "rerunFailedWorkflowRun", "rerunWorkflowJob"]) {
      await expectLost(api, owner, { id, place });
    }
  });

  it("409: approveWorkflowRun", async () => {
    const fork = { as: stranger, body: { name: "fork" } };
    expect((await api.call("POST", `/repos/olga/${runs.name}/forks`, fork)).status).toBe(202);
    await pushFiles(api, stranger, "fork", { files: { "b.txt": "b" }, branch: "dev", from: "main" });
    await runs.json("POST", "pulls", { title: "T", head: "sten:dev", base: "main" }, stranger);
    await runs.finish();
    const { id: run, needs_approval } = await runs.newest();
    expect(needs_approval).toBe(true);
    await expectLost(api, owner, { id: "approveWorkflowRun", place: { ...repository, run } });
  });
});

describe("a workflow", () => {
  it("409: ActionsDisableWorkflow, ActionsEnableWorkflow, DispatchWorkflow", async () => {
    const place = { ...repository, workflow_id: "asked.yml" };
    await expectLost(api, owner, { id: "DispatchWorkflow", place, body: { ref: "main" } });
    await expectLost(api, owner, { id: "ActionsDisableWorkflow", place });
    await runs.json("PUT", "actions/workflows/asked.yml/disable");
    await expectLost(api, owner, { id: "ActionsEnableWorkflow", place });
  });
});

describe("a runner", () => {
  it("409: updateRepoRunner, updateOrgRunner, updateUserRunner, updateAdminRunner", async () => {
    await makeOrganization(api, owner, "acme");
    for (const [id, path] of [
      ["updateRepoRunner", `/repos/olga/${runs.name}`],
      ["updateOrgRunner", "/orgs/acme"],
      ["updateUserRunner", "/user"],
      ["updateAdminRunner", "/admin"],
    ] as const) {
      const made = await api.call("POST", `${path}/actions/runners`, { as: owner, body: { name: "r" } });
      const place = { ...repository, org: "acme", runner_id: made.json.id };
      await expectLost(api, owner, { id, place, body: { disabled: true } });
    }
  });
});

describe("an artifact", () => {
  it("409: deleteArtifact", async () => {
    const artifacts = new ArtifactWorld(api, [owner, runs.writer, stranger]);
    artifacts.name = runs.name;
    artifacts.id = runs.id;
    const artifact = await artifacts.make("logs");
    const { artifacts: rows } = await runs.json("GET", "actions/artifacts");
    expect(rows).toMatchObject([{ name: "logs" }]);
    const place = { ...repository, artifact_id: rows[0].id };
    await expectLost(api, owner, { id: "deleteArtifact", place });
    expect(artifact.state).toBe("confirmed");
  });
});
