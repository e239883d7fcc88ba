import { afterAll, beforeAll, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { sendFile } from "../attachment/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { addComment, lockIssue, openIssue } from "./make.ts";

let api: TestApi;
let owner: Caller;
let stranger: Caller;
let where: TestRepository;
let comment: number;
let attachment: number;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser();
  stranger = await api.makeUser();
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner);
  comment = (await addComment(api, where, 1, owner)).id;
  const sent = await sendFile(api, `${where.path}/issues/1/assets`, owner);
  attachment = sent.json.id;
});
afterAll(() => api.stop());

const call = (as: Caller, method: string, path: string, body: object) =>
  api.call(method, `${where.path}/${path}`, { as, body });

const refused = (): [string, string, object][] => [
  ["PATCH", "issues/1", { title: 5 }],
  ["PATCH", "issues/1", { updated_at: "yesterday" }],
  ["POST", "issues/1/labels", { labels: "bug" }],
  ["PUT", "issues/1/labels", { labels: [{}] }],
  ["DELETE", "issues/1/labels", { updated_at: "yesterday" }],
  ["DELETE", "issues/1/labels/1", { updated_at: "yesterday" }],
  ["PATCH", `issues/comments/${comment}`, {}],
  ["PATCH", `issues/1/comments/${comment}`, { body: "" }],
  ["POST", "issues/1/deadline", { due_date: "yesterday" }],
  ["POST", "issues/1/assignees", { assignees: 5 }],
  ["DELETE", "issues/1/assignees", { assignees: 5 }],
  ["PUT", "issues/1/lock", { lock_reason: 5 }],
  ["POST", "issues/1/times", {}],
  ["PATCH", `issues/1/assets/${attachment}`, { name: 5 }],
];

it("403 comes before 422: only callers who may write are told what is wrong with a body (semantics §1.7)", async () => {
  for (const [method, path, body] of refused()) {
    expect((await call(stranger, method, path, body)).status, `${method} ${path}`).toBe(403);
    expect((await call(owner, method, path, body)).status, `${method} ${path}`).toBe(422);
  }
});

it("404 comes before 422 for an issue and a comment that are not there", async () => {
  expect((await call(owner, "PATCH", "issues/99", { title: 5 })).status).toBe(404);
  expect((await call(owner, "PATCH", "issues/comments/999999", {})).status).toBe(404);
  expect((await call(owner, "POST", "issues/99/comments", {})).status).toBe(404);
});

it("issueAddLabel: 403 comes before 400 for a mixture of ids and names", async () => {
  const mixture = { labels: [1, "bug"] };
  expect((await call(stranger, "POST", "issues/1/labels", mixture)).status).toBe(403);
  expect((await call(owner, "POST", "issues/1/labels", mixture)).status).toBe(400);
});

it("issueCreateComment: 403 comes before 422 where the conversation is locked", async () => {
  const { number } = await openIssue(api, where, owner);
  await lockIssue(api, where, number);
  expect((await call(stranger, "POST", `issues/${number}/comments`, {})).status).toBe(403);
  expect((await call(owner, "POST", `issues/${number}/comments`, {})).status).toBe(422);
});

it("issueEditIssueAttachment: 403 for callers who may not write, also where nothing or another address is sent", async () => {
  const path = `issues/1/assets/${attachment}`;
  for (const body of [{}, { name: "" }, { browser_download_url: "https://example.org/a" }]) {
    expect((await call(stranger, "PATCH", path, body)).status).toBe(403);
  }
  expect((await call(owner, "PATCH", path, {})).status).toBe(201);
  const elsewhere = { browser_download_url: "https://example.org/a", name: "other.txt" };
  expect((await call(owner, "PATCH", path, elsewhere)).status).toBe(400);
  const kept = await api.call("GET", `${where.path}/${path}`);
  expect(kept.json.name).toBe("notes.txt");
});
