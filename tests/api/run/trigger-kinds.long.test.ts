import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { getRun, getRunSource } from "#core/actions/run/run";
import type { Owner } from "#core/owner/owner";
import { ownerKey } from "#core/owner/owner.table";
import { linkPackage } from "#core/package/link";
import { getPackage } from "#core/package/package";
import { publishFile } from "#core/package/publish";
import { hashedContent } from "#tests/packages/hashed-content";
import { pushFiles } from "#tests/support/code";
import { type RunWorld, startRuns, workflow } from "./world.ts";

let world: RunWorld;
beforeAll(async () => {
  world = await startRuns();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const file = ".forgejo/workflows/ci.yml";
const on = (text: string) => ({ [file]: workflow(text) });
const started = async () =>
  (await world.json("GET", "actions/runs")).workflow_runs.map(
    (run: { event: string; head_branch: string; status: string }) =>
      `${run.event} ${run.head_branch} ${run.status}`,
  );

/** A request of the stranger's from their fork; answers its number. */
async function openFromFork(files: Readonly<Record<string, string>>): Promise<number> {
  const { stranger, api, name } = world;
  await api.call("POST", `/repos/olga/${name}/forks`, { as: stranger, body: { name: `fork-${name}` } });
  await pushFiles(api, stranger, `fork-${name}`, { files, branch: "dev", from: "main" });
  await world.finish();
  const asked = { head: "sten:dev", base: "main", title: "a change" };
  const { number } = await world.json("POST", "pulls", asked, stranger);
  await world.finish();
  return number;
}

describe("requests of strangers (semantics §64.2, §64.3)", () => {
  it("pull_request_target runs the base's file at once, whatever the fork says", async () => {
    await world.push(on("pull_request_target"));
    await openFromFork({ [file]: workflow("pull_request_target", "runs-on: theirs") });
    expect(await started()).toEqual(["pull_request_target dev waiting"]);
    const { id, head_sha: sha } = await world.newest();
    expect((await world.json("GET", `actions/runs/${id}/jobs`)).jobs[0].labels).toEqual(["docker"]);
    expect(sha).toBe((await world.json("GET", "branches/main")).commit.id);
  });

  it("a review, their own or a writer's, starts their file only once the run is approved", async () => {
    await world.letWrite();
    await world.push({ "README.md": "words" });
    const reviews = "{pull_request_review: {}, pull_request_review_comment: {types: [created]}}";
    const number = await openFromFork(on(reviews));
    const review = { event: "COMMENT", body: "look" };
    await world.json("POST", `pulls/${number}/reviews`, review, world.stranger);
    await world.finish();
    expect((await started()).sort()).toEqual([
      "pull_request_review dev blocked",
      "pull_request_review_comment dev blocked",
    ]);
    expect(await world.work()).toBeUndefined();
    await world.json("POST", `pulls/${number}/reviews`, { event: "APPROVED" }, world.writer);
    await world.finish();
    const run = await world.newest();
    expect(run).toMatchObject({ event: "pull_request_review", status: "blocked", needs_approval: true });
    expect((await world.json("POST", `actions/runs/${run.id}/approve`)).status).toBe("waiting");
  });
});

it("release runs the workflow of its tag, or of the default branch once the tag is gone (semantics §64.1)", async () => {
  await world.push(on("{release: {types: [published, edited, deleted]}}"));
  await world.json("POST", "releases", { tag_name: "v1" });
  await world.finish();
  await world.push({ [file]: null });
  const { id } = await world.json("GET", "releases/tags/v1");
  await world.json("PATCH", `releases/${id}`, { body: "words" });
  await world.finish();
  expect(await started()).toEqual(["release v1 waiting", "release v1 waiting"]);
  await world.json("DELETE", `releases/${id}`);
  await world.json("DELETE", "tags/v1");
  await world.finish();
  expect(await started()).toHaveLength(2);
});

it("registry_package: a version of a package that belongs to the repository (semantics §64.2)", async () => {
  const { forge } = world.api;
  await world.push(on("{registry_package: {types: [published]}}"));
  const owner = (await forge.table.get<Owner>(ownerKey(world.owner.user.id))) as Owner;
  const publish = async (version: string) =>
    publishFile(
      forge,
      owner,
      { user: world.owner.user },
      {
        ...{ type: "generic", name: world.name, version, fileName: "a", takesMoreFiles: true },
        file: await hashedContent(version),
      },
    );
  await publish("1");
  await world.finish();
  expect(await started()).toEqual([]);
  const named = await getPackage(forge, { ownerId: owner.id, type: "generic", name: world.name });
  await linkPackage(forge, named, world.id);
  await publish("2");
  await world.finish();
  expect(await started()).toEqual(["registry_package main waiting"]);
  const run = await getRun(forge, world.id, (await world.newest()).id);
  expect(JSON.parse((await getRunSource(forge, run)).event)).toMatchObject({
    ...{ action: "created", package: { version: "2" }, repository: { name: world.name } },
  });
});

it("create, delete and fork start what the default branch says; workflow_call alone starts nothing", async () => {
  await world.push(on("[create, delete, fork, workflow_call]"));
  await world.json("POST", "branches", { new_branch_name: "dev" });
  await world.finish();
  await world.json("DELETE", "branches/dev");
  await world.api.call("POST", `/repos/olga/${world.name}/forks`, {
    ...{ as: world.stranger, body: { name: `fork-${world.name}` } },
  });
  await world.finish();
  expect((await started()).sort()).toEqual([
    "create dev waiting",
    "create main waiting",
    "delete main waiting",
    "fork main waiting",
  ]);
  await world.begin();
  await world.push(on("workflow_call"));
  expect(await started()).toEqual([]);
});

it("cancel-in-progress may be an expression (semantics §64.5)", async () => {
  const grouped = `${workflow("push")}concurrency:
  group: \${{ github.ref }}
  cancel-in-progress: \${{ github.ref_name != 'main' }}
`;
  await world.push({ [file]: grouped });
  await world.push({ a: "1" });
  await world.push({ b: "1" }, { branch: "dev", from: "main" });
  await world.push({ c: "1" }, { branch: "dev" });
  expect(await started()).toEqual([
    "push dev waiting",
    "push dev cancelled",
    "push main blocked",
    "push main waiting",
  ]);
});

describe("DispatchWorkflow", () => {
  it("takes inputs of every type, with their defaults, and no others (semantics §63.4)", async () => {
    const inputs = `{workflow_dispatch: {inputs: {
      text: {required: true}, flag: {type: boolean, default: true}, count: {type: number, default: 3},
      place: {type: environment}, size: {type: choice, options: [s, 1], default: s}}}}`;
    await world.push(on(inputs));
    const inputsOf = async (given: Record<string, string>) => {
      const body = { ref: "main", inputs: given, return_run_info: true };
      const { id } = await world.json("POST", "actions/workflows/ci.yml/dispatches", body);
      const run = await getRun(world.api.forge, world.id, id);
      return JSON.parse((await getRunSource(world.api.forge, run)).event).inputs;
    };
    expect(await inputsOf({ text: "a", other: "x" })).toEqual({
      text: "a",
      flag: true,
      count: "3",
      size: "s",
    });
    expect(await inputsOf({ text: "", flag: "off", count: "7", place: "here", size: "1" })).toEqual({
      ...{ text: "", flag: false, count: "7", place: "here", size: "1" },
    });
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`i${at}`, "x"]));
    const path = "actions/workflows/ci.yml/dispatches";
    expect((await world.call("POST", path, { ref: "main", inputs: many })).status).toBe(400);
  });
});
