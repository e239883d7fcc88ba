import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { addComment, openIssue } from "./make.ts";

let api: TestApi;
let owner: Caller;
let where: TestRepository;
let elsewhere: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  where = await makeRepository(api, owner);
  elsewhere = await makeRepository(api, owner);
  await openIssue(api, where, owner, { title: "first" });
  await openIssue(api, elsewhere, owner, { title: "other" });
});
afterAll(() => api.stop());

const call = (method: string, path: string, body?: object, from = where) =>
  api.call(method, `${from.path}${path}`, { as: owner, ...defined({ body }) });
const idOf = async (path: string, body: object, from = where) =>
  (await call("POST", path, body, from)).json.id;
const texts = [
  "👩‍👩‍👧‍👦🏳️‍🌈 🦁",
  "שלום \u202eabc\u202c مرحبا",
  "bell \u0007, escape \u001b[31m, delete \u007f, line\u2028separator",
  "e\u0301 beside é, Å beside Å",
  "<script>alert(1)</script> {{7*7}} '; DROP TABLE issues; --",
];

describe("bad input of issues", () => {
  it("ids of labels and milestones of another repository are dropped, from edits of a milestone refused", async () => {
    const label = await idOf("/labels", { name: "far", color: "aabbcc" }, elsewhere);
    const milestone = await idOf("/milestones", { title: "far" }, elsewhere);
    const made = await openIssue(api, where, owner, { labels: [label], milestone });
    expect(made).toMatchObject({ labels: [], milestone: null });
    const path = `/issues/${made.number}`;
    expect((await call("POST", `${path}/labels`, { labels: [label] })).json).toEqual([]);
    expect((await call("DELETE", `${path}/labels/${label}`)).status).toBe(422);
    expect((await call("PATCH", path, { title: "kept?", milestone })).status).toBe(422);
    expect((await call("GET", path)).json).toMatchObject({ title: "An issue", milestone: null });
    for (const listed of [`labels=far`, `milestones=${milestone}`, "milestones=far"]) {
      expect((await call("GET", `/issues?state=all&${listed}`)).json, listed).toEqual([]);
    }
  });

  it("emoji, right-to-left marks and control characters come back as they were sent, and are found", async () => {
    for (const text of texts) {
      const { number, title, body } = await openIssue(api, where, owner, {
        title: text,
        body: `${text}\r\n\t`,
      });
      expect([title, body]).toEqual([text, `${text}\r\n\t`]);
      const comment = await addComment(api, where, number, owner, text);
      expect((await call("GET", `/issues/comments/${comment.id}`)).json.body).toBe(text);
      const label = await call("POST", "/labels", { name: text, color: "#abc" });
      expect([label.status, label.json.name]).toEqual([201, text]);
      const milestone = await call("POST", "/milestones", { title: text });
      expect([milestone.status, milestone.json.title]).toEqual([201, text]);
      const found = await call("GET", `/issues?q=${encodeURIComponent(text)}`);
      expect(found.status, text).toBe(200);
      if (/[a-z]{3}|\p{sc=Hebrew}/u.test(text)) {
        expect(found.json.map((one: { number: number }) => one.number)).toContain(number);
      }
      const byLabel = await call("GET", `/issues?milestones=${encodeURIComponent(text.replaceAll(",", ""))}`);
      expect(byLabel.status).toBe(200);
    }
  });

  it("NUL and lone surrogates never reach the table", async () => {
    const sent = ["\0", "\ud800", "\udc00x"];
    for (const text of sent) {
      const issue = await call("POST", "/issues", { title: `a${text}b` });
      expect([201, 422], JSON.stringify(text)).toContain(issue.status);
      if (issue.status === 201) expect(Buffer.from(issue.json.title).toString()).toBe(issue.json.title);
      const comment = await call("POST", "/issues/1/comments", { body: `a${text}b` });
      expect([201, 422], JSON.stringify(text)).toContain(comment.status);
    }
  });

  it("pages far past the end are empty with the total; pages that make no sense are the first", async () => {
    const { id } = await addComment(api, where, 1, owner, "words");
    await call("POST", "/issues/1/reactions", { content: "heart" });
    await call("POST", `/issues/comments/${id}/reactions`, { content: "heart" });
    await call("PUT", "/issues/1/subscriptions/olga");
    await call("DELETE", "/issues/1/subscriptions/olga");
    await call("PUT", "/issues/1/subscriptions/olga");
    const waiting = await openIssue(api, where, owner, { title: "waits" });
    await call("POST", `/issues/${waiting.number}/dependencies`, { index: 1 });
    await call("POST", "/labels", { name: "one", color: "abcdef" });
    await call("POST", "/milestones", { title: "one" });
    const lists = [
      ...["/issues", "/issues?state=all&sort=recentupdate", "/issues?q=first", "/issues/comments"],
      ...["/issues/1/comments", "/issues/1/timeline", "/issues/1/reactions", "/issues/1/blocks"],
      ...[
        `/issues/comments/${id}/reactions`,
        `/issues/${waiting.number}/dependencies`,
        "/labels",
        "/milestones",
      ],
      "/issues/1/subscriptions",
    ];
    for (const path of lists) {
      const list = (query: string) => call("GET", `${path}${path.includes("?") ? "&" : "?"}${query}`);
      const first = await list("limit=50");
      const total = first.headers.get("x-total-count");
      expect([first.status, first.json.length > 0, Number(total) > 0], path).toEqual([200, true, true]);
      for (const page of ["1000000", "2147483647", "9007199254740993"]) {
        const past = await list(`page=${page}`);
        expect([past.status, past.json, past.headers.get("x-total-count")], `${path} ${page}`).toEqual([
          ...[200, [], total],
        ]);
      }
      for (const page of ["0", "-1", "x", "1.5", ""]) {
        expect((await list(`page=${page}&limit=50`)).json, `${path} ${page}`).toEqual(first.json);
      }
    }
  });

  it("numbers that no issue can have are 404, in every form", async () => {
    for (const index of ["0", "-1", "99999999999999999999", "1e3", "0x1", "1%20", "%00", "١"]) {
      for (const path of ["", "/comments", "/timeline", "/reactions", "/dependencies", "/subscriptions"]) {
        expect((await call("GET", `/issues/${index}${path}`)).status, index + path).toBe(404);
      }
    }
  });

  it("two edits at once of different fields both stand; of one field one of them does", async () => {
    const { number } = await openIssue(api, where, owner, { title: "before" });
    const answers = await Promise.all([
      call("PATCH", `/issues/${number}`, { title: "one" }),
      call("PATCH", `/issues/${number}`, { body: "text" }),
      call("PATCH", `/issues/${number}`, { title: "two" }),
      call("PATCH", `/issues/${number}`, { state: "closed" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { title, body, state } = (await call("GET", `/issues/${number}`)).json;
    expect([body, state]).toEqual(["text", "closed"]);
    expect(["one", "two"]).toContain(title);
  });
});
