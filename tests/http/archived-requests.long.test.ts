import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { makeKeyLine } from "#tests/support/keys";
import { sendFile } from "../api/attachment/make.ts";

/** One archived repository with something of everything, which every request of a test meets. */
let api: TestApi;
let alice: Caller;
let reader: Caller;
/** What stands for the ids in the tests' paths. */
const ids: Record<string, number | string> = {};
const base = "/repos/alice/old";

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  reader = await api.makeUser({ name: "reader" });
  await make("/user/repos", { name: "old" });
  await pushFiles(api, alice, "old", { files: { "a.txt": "a\n" } });
  for (const title of ["one", "two", "three"]) await make(`${base}/issues`, { title });
  ids.comment = (await make(`${base}/issues/1/comments`, { body: "words" })).id;
  ids.spare = (await make(`${base}/issues/1/comments`, { body: "to be deleted" })).id;
  for (const [name, path] of [
    ["file", `${base}/issues/1/assets`],
    ["commentFile", `${base}/issues/comments/${ids.comment}/assets`],
  ] as const) {
    const { status, json } = await sendFile(api, path, alice);
    expect(status).toBe(201);
    ids[name] = json.id;
  }
  await make(`${base}/issues/2/dependencies`, { index: 1 });
  ids.label = (await make(`${base}/labels`, { name: "bug", color: "aabbcc" })).id;
  ids.milestone = (await make(`${base}/milestones`, { title: "soon" })).id;
  ids.time = (await make(`${base}/issues/1/times`, { time: 60 }, 200)).id;
  await make(`${base}/branches`, { new_branch_name: "side" });
  await make(`${base}/tags`, { tag_name: "v1" });
  await make(`${base}/branch_protections`, { rule_name: "side" });
  ids.tagRule = (
    await make(`${base}/tag_protections`, { name_pattern: "v*", whitelist_usernames: ["alice"] })
  ).id;
  await make(`${base}/wiki/new`, { title: "Home", content_base64: "aGk=" });
  ids.sha = (await api.call("GET", `${base}/contents/a.txt`)).json.sha;
  const archived = await api.call("PATCH", base, { as: alice, body: { archived: true } });
  expect(archived.json.archived).toBe(true);
});
afterAll(() => api.stop());

async function make(path: string, body: object, expected = 201) {
  const { status, json } = await api.call("POST", path, { as: alice, body });
  expect(status, path).toBe(expected);
  return json;
}

const filled = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
/** A request of these tests: `METHOD /path`, below the repository, with ids by their names. */
function send(line: string, body: object | undefined, as: Caller | undefined = alice) {
  const [method = "", path = ""] = line.split(" ");
  return api.call(method, `${base}${filled(path)}`, { as, ...(body !== undefined && { body }) });
}

const text = { content: "YQ==", message: "m" };
/** Requests that archived repositories refuse; each would do something (semantics §1.8). */
const refused: readonly (readonly [line: string, body?: object])[] = [
  ["POST /issues", { title: "new" }],
  ["POST /issues/1/comments", { body: "new" }],
  ["PATCH /issues/comments/{comment}", { body: "other" }],
  ["PATCH /issues/1/comments/{comment}", { body: "other" }],
  ["PATCH /issues/1/assets/{file}", { name: "other.txt" }],
  ["DELETE /issues/1/assets/{file}"],
  ["PATCH /issues/comments/{comment}/assets/{commentFile}", { name: "other.txt" }],
  ["DELETE /issues/comments/{comment}/assets/{commentFile}"],
  ["POST /issues/3/dependencies", { index: 1 }],
  ["DELETE /issues/2/dependencies", { index: 1 }],
  ["POST /branches", { new_branch_name: "new" }],
  ["DELETE /branches/side"],
  ["POST /tags", { tag_name: "v2" }],
  ["DELETE /tags/v1"],
  ["POST /contents/new.txt", text],
  ["PUT /contents/a.txt", { ...text, sha: "{sha}" }],
  ["DELETE /contents/a.txt", { message: "m", sha: "{sha}" }],
  ["POST /contents", { files: [{ operation: "create", path: "n", content: "YQ==" }] }],
  ["POST /branch_protections", { rule_name: "new" }],
  ["PATCH /branch_protections/side", { enable_push: true }],
  ["POST /tag_protections", { name_pattern: "w*", whitelist_usernames: ["alice"] }],
  ["PATCH /tag_protections/{tagRule}", { name_pattern: "x*" }],
  ["DELETE /tag_protections/{tagRule}"],
  ["POST /wiki/new", { title: "More", content_base64: "aGk=" }],
  ["PATCH /wiki/page/Home", { content_base64: "aG8=" }],
  ["DELETE /wiki/page/Home"],
];

/** Everything that the refused requests would change, as reads. */
const readable = [
  "/issues?state=all",
  "/issues/1/comments",
  "/issues/1/assets",
  "/issues/comments/{comment}/assets",
  "/issues/2/dependencies",
  "/issues/3/dependencies",
  "/branches",
  "/tags",
  "/contents",
  "/branch_protections",
  "/tag_protections",
  "/wiki/pages",
  "/commits",
];

describe("an archived repository refuses with 423 (semantics §1.8)", () => {
  it.each(refused.map(([line, body]) => ({ line, body })))(
    "423: $line; nothing of it is done",
    async ({ line, body }) => {
      const before = await readAll();
      const named = body && JSON.parse(filled(JSON.stringify(body)));
      const { status, json } = await send(line, named);
      expect(status).toBe(423);
      expect(Object.keys(json).sort()).toEqual(["message", "url"]);
      expect(await readAll()).toEqual(before);
    },
  );

  it.each(["POST /issues/1/assets", "POST /issues/comments/{comment}/assets"])("423: %s", async (line) => {
    const path = `${base}${filled(line.split(" ")[1] ?? "")}`;
    const before = (await api.call("GET", path)).json;
    expect((await sendFile(api, path, alice)).status).toBe(423);
    expect((await api.call("GET", path)).json).toEqual(before);
  });

  it("401 before it for anonymous callers, 403 for callers without the rights; 423 before what the body says (semantics §1.7)", async () => {
    const anonymous = await api.call("POST", `${base}/issues`, { body: { title: "x" } });
    expect(anonymous.status).toBe(401);
    expect((await send("DELETE /branches/side", undefined, reader)).status).toBe(403);
    expect((await send("POST /branch_protections", { rule_name: "n" }, reader)).status).toBe(403);
    expect((await send("POST /issues", { title: "x" }, reader)).status).toBe(423);
    expect((await send("POST /issues", { title: 7 })).status).toBe(423);
    expect((await send("POST /issues/1/comments", {})).status).toBe(423);
  });

  async function readAll() {
    const answers = await Promise.all(readable.map((path) => send(`GET ${path}`, undefined)));
    return answers.map(({ status, json }) => [status, json]);
  }
});

/** Requests that work as before, in an order that works. */
const answered: readonly (readonly [line: string, status: number, body?: object])[] = [
  ["PATCH /issues/1", 201, { title: "another", state: "closed" }],
  ["PATCH /issues/1", 201, { state: "open", milestone: "{milestone}", assignees: ["alice"] }],
  ["POST /issues/1/labels", 200, { labels: ["{label}"] }],
  ["PUT /issues/1/labels", 200, { labels: ["{label}"] }],
  ["DELETE /issues/1/labels/{label}", 204],
  ["POST /issues/1/labels", 200, { labels: ["{label}"] }],
  ["DELETE /issues/1/labels", 204],
  ["POST /issues/1/deadline", 201, { due_date: "2030-05-01T00:00:00Z" }],
  ["PUT /issues/1/lock", 204, { lock_reason: "Spam" }],
  ["DELETE /issues/1/lock", 204],
  ["POST /issues/1/pin", 204],
  ["POST /issues/2/pin", 204],
  ["PATCH /issues/2/pin/1", 204],
  ["DELETE /issues/2/pin", 204],
  ["POST /issues/1/reactions", 201, { content: "+1" }],
  ["DELETE /issues/1/reactions", 200, { content: "+1" }],
  ["POST /issues/comments/{comment}/reactions", 201, { content: "heart" }],
  ["DELETE /issues/comments/{comment}/reactions", 200, { content: "heart" }],
  ["PUT /issues/3/subscriptions/alice", 200],
  ["DELETE /issues/3/subscriptions/alice", 201],
  ["POST /issues/1/times", 200, { time: 30 }],
  ["DELETE /issues/1/times/{time}", 204],
  ["DELETE /issues/1/times", 204],
  ["POST /issues/1/stopwatch/start", 201],
  ["POST /issues/1/stopwatch/stop", 201],
  ["POST /issues/1/stopwatch/start", 201],
  ["DELETE /issues/1/stopwatch/delete", 204],
  ["DELETE /issues/comments/{spare}", 204],
  ["POST /labels", 201, { name: "more", color: "aa0000" }],
  ["PATCH /labels/{label}", 200, { name: "defect" }],
  ["DELETE /labels/{label}", 204],
  ["POST /milestones", 201, { title: "later" }],
  ["PATCH /milestones/{milestone}", 200, { state: "closed" }],
  ["DELETE /milestones/{milestone}", 204],
  ["DELETE /branch_protections/side", 204],
  ["POST /hooks", 201, { type: "gitea", config: { url: "https://ci.example/", content_type: "json" } }],
  ["PUT /collaborators/reader", 204, { permission: "read" }],
  ["POST /keys", 201, { title: "k", key: makeKeyLine(), read_only: true }],
  ["PUT /topics/songs", 204],
  ["PUT /subscription", 200],
  ["POST /forks", 202, { name: "young" }],
  ["DELETE /issues/2", 204],
];

describe("an archived repository still answers (semantics §1.8)", () => {
  it.each(answered.map((row) => [...row] as const))("%s: %d", async (line, status, body) => {
    const named = body && JSON.parse(filled(JSON.stringify(body)).replaceAll(/"(\d+)"/g, "$1"));
    const answer = await send(line, named);
    expect(answer.status, answer.text).toBe(status);
  });

  it("what was done stays done, and the repository archived", async () => {
    const { json } = await api.call("GET", `${base}/issues/1`);
    expect(json).toMatchObject({
      ...{ title: "another", state: "open", labels: [], comments: 1, pin_order: 1, is_locked: false },
      ...{ due_date: "2030-05-01T23:59:59Z", milestone: null, assignees: [{ login: "alice" }] },
    });
    expect((await api.call("GET", `${base}/issues/2`)).status).toBe(404);
    expect((await api.call("GET", base)).json.archived).toBe(true);
  });
});
