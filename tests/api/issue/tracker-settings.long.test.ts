import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { beside, sendFile } from "../attachment/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { addComment, openIssue } from "./make.ts";

let api: TestApi;
let owner: Caller;
let where: TestRepository;

async function start(settings: Record<string, string>): Promise<void> {
  api = await makeApi({ settings });
  owner = await api.makeUser({ name: "olga" });
}
const call = (method: string, path: string, body?: object, as: Caller | undefined = owner) =>
  api.call(method, `${where.path}${path}`, { as, ...defined({ body }) });
const onIssue = (method: string, path: string, body?: object) => call(method, `/issues/1${path}`, body);
async function makeIssue(): Promise<void> {
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner, { title: "one" });
}

describe("words and lists of the issue tracker that are settings (semantics §20.1, §31)", () => {
  beforeAll(() =>
    start({
      CLOSE_KEYWORDS: "erledigt,schliesst",
      REOPEN_KEYWORDS: "wieder",
      ISSUE_LOCK_REASONS: "Duplicate,Heat",
      REACTIONS: "heart,party",
    }),
  );
  beforeEach(makeIssue);
  afterAll(() => api.stop());

  /** The issue's state once a commit with these words is on the default branch and the worker has read it. */
  async function stateAfter(message: string): Promise<string> {
    const name = where.path.split("/")[3] as string;
    api.clock.advance(1_000);
    await pushFiles(api, owner, name, { files: { "a.txt": message }, message: `${message}\n` });
    const drain = () =>
      api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
    for (let { done } = await drain(); done > 0; { done } = await drain());
    return (await onIssue("GET", "")).json.state;
  }

  it("CLOSE_KEYWORDS, REOPEN_KEYWORDS: a push closes and opens by these words, in any case, and no others", async () => {
    expect(await stateAfter("closes #1")).toBe("open");
    expect(await stateAfter("ERLEDIGT: #1")).toBe("closed");
    expect(await stateAfter("reopens #1")).toBe("closed");
    expect(await stateAfter("das kommt wieder #1")).toBe("open");
    expect(await stateAfter("schliesst #1")).toBe("closed");
    const types = (await onIssue("GET", "/timeline")).json.map((one: { type: string }) => one.type);
    expect(types).toEqual([
      ...["commit_ref", "commit_ref", "close", "commit_ref", "commit_ref", "reopen", "commit_ref", "close"],
    ]);
  });

  it("ISSUE_LOCK_REASONS: 204 for these and for none, 422 for what is one by default alone", async () => {
    const refused = await onIssue("PUT", "/lock", { lock_reason: "Spam" });
    expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining("Duplicate, Heat")]);
    expect((await onIssue("GET", "")).json.is_locked).toBe(false);
    for (const lock_reason of ["Duplicate", "Heat", ""]) {
      expect((await onIssue("PUT", "/lock", { lock_reason })).status, lock_reason).toBe(204);
      expect((await onIssue("DELETE", "/lock")).status).toBe(204);
    }
  });

  it("REACTIONS: 201 for these, 403 for what is one by default alone; the settings tell them", async () => {
    const { id } = await addComment(api, where, 1, owner);
    for (const path of ["/issues/1/reactions", `/issues/comments/${id}/reactions`]) {
      expect((await call("POST", path, { content: "party" })).status).toBe(201);
      expect((await call("POST", path, { content: "+1" })).status).toBe(403);
      expect((await call("GET", path)).json).toMatchObject([{ content: "party" }]);
    }
    const { json } = await api.call("GET", "/settings/ui");
    expect(json.allowed_reactions).toEqual(["heart", "party"]);
  });
});

describe("ENABLE_TIMETRACKING=false (semantics §19.7)", () => {
  beforeAll(() => start({ ENABLE_TIMETRACKING: "false" }));
  beforeEach(makeIssue);
  afterAll(() => api.stop());

  it("404 of an issue's times, 403 of a stopwatch, 400 of the rest, whatever the repository says; the settings tell it", async () => {
    const on = { internal_tracker: { enable_time_tracker: true } };
    expect((await call("PATCH", "", { has_issues: true, ...on })).status).toBe(200);
    expect((await onIssue("GET", "/times")).status).toBe(404);
    for (const [method, path, body] of [
      ["POST", "/issues/1/times", { time: 60 }],
      ["DELETE", "/issues/1/times", undefined],
      ["DELETE", "/issues/1/times/1", undefined],
      ["GET", "/times", undefined],
      ["GET", "/times/olga", undefined],
    ] as const) {
      expect((await call(method, path, body)).status, `${method} ${path}`).toBe(400);
    }
    expect((await onIssue("POST", "/stopwatch/start")).status).toBe(403);
    expect((await onIssue("GET", "/timeline")).json).toEqual([]);
    expect((await api.call("GET", "/user/times", { as: owner })).json).toEqual([]);
    expect((await api.call("GET", "/settings/repository")).json.time_tracking_disabled).toBe(true);
  });
});

describe("ATTACHMENT_ENABLED=false (semantics §19.4)", () => {
  beforeAll(() => start({ ATTACHMENT_ENABLED: "false" }));
  beforeEach(makeIssue);
  afterAll(() => api.stop());

  it("404: every operation on files of comments and issues; the comment itself is there without", async () => {
    const comment = await addComment(api, where, 1, owner);
    for (const at of [`/issues/comments/${comment.id}/assets`, "/issues/1/assets"]) {
      expect((await sendFile(api, `${where.path}${at}`, owner)).status).toBe(404);
      for (const [method, path, body] of [
        ["GET", at, undefined],
        ["GET", `${at}/1`, undefined],
        ["PATCH", `${at}/1`, { name: "b.txt" }],
        ["DELETE", `${at}/1`, undefined],
      ] as const) {
        expect((await call(method, path, body)).status, `${method} ${path}`).toBe(404);
      }
    }
    expect((await call("GET", `/issues/comments/${comment.id}`)).json.assets).toEqual([]);
    expect((await api.call("GET", "/settings/attachment")).json.enabled).toBe(false);
  });
});

describe("REQUIRE_SIGNIN_VIEW and files (semantics §2.3)", () => {
  beforeAll(() => start({ REQUIRE_SIGNIN_VIEW: "true" }));
  beforeEach(makeIssue);
  afterAll(() => api.stop());

  it("downloadAttachment 403: anonymous callers, of public repositories too; 200: whoever is signed in; putAttachment 204: without credentials", async () => {
    const comment = await addComment(api, where, 1, owner);
    const reader = await api.makeUser();
    const get = beside(api);
    for (const path of ["/issues/1/assets", `/issues/comments/${comment.id}/assets`]) {
      const { json } = await sendFile(api, `${where.path}${path}`, owner);
      const url = json.browser_download_url;
      expect(url).toContain(`/attachments/${json.uuid}`);
      const refused = await get(url);
      expect(refused.status).toBe(403);
      expect(refused.text).not.toContain("hello");
      const { status, text } = await get(url, { as: reader });
      expect([status, text]).toEqual([200, "hello"]);
      const { json: now } = await call("GET", `${path}/${json.id}`);
      expect(now.download_count).toBe(1);
    }
    const announced = await call("POST", "/issues/1/assets", { name: "big.txt", size: 5 });
    const put = { method: "PUT", body: "bytes" };
    expect((await get(announced.json.upload_url, put)).status).toBe(204); // the address is the credential
    expect(
      (await get(`${api.forge.config.rootUrl}/attachments/00000000-0000-4000-8000-000000000000`)).status,
    ).toBe(403);
  });
});
