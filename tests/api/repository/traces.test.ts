import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { finishJobs } from "#tests/support/jobs";
import { makeKeyLine } from "#tests/support/keys";
import { findTracesOf, makeNextRepositoryOdd, oddRepositoryId } from "#tests/support/left-behind";
import { sendFile } from "../attachment/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
const base = "/repos/alice/laden";

beforeAll(async () => {
  api = await makeApi({ settings: { ENABLE_FLAGS: "true" } });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

async function make(method: string, path: string, body?: object, as = alice) {
  const answer = await api.call(method, path, { as, ...(body && { body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}

async function work(): Promise<void> {
  const drain = () =>
    api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
  for (let { done } = await drain(); done > 0; { done } = await drain());
}

/** A repository with something of everything, some of it at others. */
async function furnish(): Promise<void> {
  await makeNextRepositoryOdd(api.forge);
  expect((await make("POST", "/user/repos", { name: "laden" })).id).toBe(oddRepositoryId);
  const commit = await pushFiles(api, alice, "laden", { files: { "a.ts": "export const one = 1;\n" } });
  await make("POST", "/user/repos", { name: "other" });
  await make("POST", "/repos/alice/other/issues", { title: "elsewhere", body: "after alice/laden#1" });
  await make("PUT", `${base}/collaborators/bob`, { permission: "write" });
  const label = await make("POST", `${base}/labels`, { name: "bug", color: "aabbcc" });
  const milestone = await make("POST", `${base}/milestones`, { title: "soon" });
  const one = { title: "one", body: "@bob alice/other#1", labels: [label.id], milestone: milestone.id };
  await make("POST", `${base}/issues`, { ...one, assignees: ["bob"] });
  await make("POST", `${base}/issues`, { title: "two", body: "see #1" }, bob);
  await make("POST", `${base}/issues`, { title: "three" });
  await make("DELETE", `${base}/issues/3`);
  const comment = await make("POST", `${base}/issues/1/comments`, { body: "@alice words" }, bob);
  for (const path of ["issues/1/assets", `issues/comments/${comment.id}/assets`]) {
    expect((await sendFile(api, `${base}/${path}`, alice)).status).toBe(201);
  }
  await make("POST", `${base}/issues/2/dependencies`, { index: 1 });
  await make("POST", "/repos/alice/other/issues/1/dependencies", { owner: "alice", repo: "laden", index: 1 });
  await make("POST", `${base}/issues/1/reactions`, { content: "+1" }, bob);
  await make("POST", `${base}/issues/comments/${comment.id}/reactions`, { content: "+1" });
  await make("POST", `${base}/issues/1/pin`);
  await make("POST", `${base}/issues/1/times`, { time: 60 }, bob);
  await make("POST", `${base}/issues/1/stopwatch/start`, undefined, bob);
  await make("PUT", `${base}/issues/2/subscriptions/alice`);
  await make("POST", `${base}/hooks`, {
    type: "gitea",
    config: { url: "https://ci.example/", content_type: "json" },
  });
  await make("POST", `${base}/keys`, { title: "k", key: makeKeyLine(), read_only: true });
  await make("POST", `${base}/branch_protections`, { rule_name: "main" });
  await make("POST", `${base}/tags`, { tag_name: "v1" });
  await make("POST", `${base}/tag_protections`, { name_pattern: "v*", whitelist_usernames: ["alice"] });
  await make("POST", `${base}/statuses/${commit}`, { context: "ci", state: "success" });
  await make("POST", `${base}/wiki/new`, { title: "Home", content_base64: "aGk=" });
  await make("PUT", `${base}/topics/songs`);
  await make("PUT", `${base}/flags/fine`, undefined, boss);
  await make("GET", `${base}/archive/main.zip`);
  await make("PUT", "/user/starred/alice/laden", undefined, bob);
  await make("PUT", `${base}/subscription`, undefined, bob);
  await make("PATCH", base, { name: "loaded" });
  await make("PATCH", "/repos/alice/loaded", { name: "laden" });
  await make("POST", `${base}/transfer`, { new_owner: "bob" });
  await work();
}

describe("repoDelete of a repository with something of everything", () => {
  it("204: once its job is done neither the table nor the bucket names it any more", async () => {
    await furnish();
    expect((await findTracesOf(api.forge, oddRepositoryId)).length).toBeGreaterThan(40);
    expect((await api.call("DELETE", base, { as: alice })).status).toBe(204);
    await work();
    await finishJobs(api);
    await work();
    expect(await findTracesOf(api.forge, oddRepositoryId)).toEqual([]);
    expect((await api.call("GET", "/repos/alice/other/issues/1/timeline", { as: alice })).status).toBe(200);
  });
});
