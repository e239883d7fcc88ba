import { expect } from "vitest";
import { defined } from "#core/defined";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import type { Caller, JsonValue, TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { makeKeyLine } from "#tests/support/keys";
import { sendFile } from "../attachment/make.ts";

/** Who furnishes: its owner, a collaborator, and a site administrator. */
export interface FurnishingPeople {
  readonly alice: Caller;
  readonly bob: Caller;
  readonly boss: Caller;
}

/** Asks for something that must succeed; answers its JSON. */
export const maker =
  (api: TestApi, own: Caller) =>
  async (method: string, path: string, body?: object, as = own): Promise<JsonValue> => {
    const answer = await api.call(method, path, { as, ...defined({ body }) });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer.json;
  };

/** Does all that events ask for. */
export async function finishEvents(api: TestApi): Promise<void> {
  const drain = () =>
    api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
  for (let { done } = await drain(); done > 0; { done } = await drain());
}

/** Makes `alice/laden`, a repository with something of everything, some of it at others; answers its id. */
export async function furnishRepository(
  api: TestApi,
  { alice, bob, boss }: FurnishingPeople,
): Promise<number> {
  const make = maker(api, alice);
  const base = "/repos/alice/laden";
  const { id } = await make("POST", "/user/repos", { name: "laden" });
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
  const release = await make("POST", `${base}/releases`, { tag_name: "v1" });
  await make("POST", `${base}/releases`, { tag_name: "v2", draft: true });
  expect((await sendFile(api, `${base}/releases/${release.id}/assets`, alice)).status).toBe(201);
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
  await finishEvents(api);
  return id;
}
