import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type EntryRow,
  entryPrefix,
  entryRowsPartition,
  type TimelineEntry,
} from "#core/comment/comment.table";
import { issuePartition } from "#core/issue/issue.table";
import { countsKey } from "#core/repository/repository.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { holdTimeStill } from "#tests/support/still-time";
import { makeRepository, setRepository, type TestRepository } from "../../repository/make.ts";
import { openIssue, withScopes } from "../make.ts";

let api: TestApi;
let owner: Caller;
let author: Caller;
let outsider: Caller;
let admin: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  [owner, author, outsider, admin] = await Promise.all([
    api.makeUser({ name: "olga" }),
    api.makeUser({ name: "arno" }),
    api.makeUser({ name: "otto" }),
    api.makeUser({ name: "boss", isAdmin: true }),
  ]);
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await openIssue(api, where, author, { title: "Before", body: "old text", ref: "main" });
});
afterAll(() => api.stop());

const edit = (body: object, as?: Caller, number = 1) =>
  api.call("PATCH", `${where.path}/issues/${number}`, { as, body });
const read = async (as?: Caller) => (await api.call("GET", `${where.path}/issues/1`, { as })).json;
const timeline = () =>
  api.forge.table.queryAll<TimelineEntry>({
    pk: issuePartition(where.repository.id, 1),
    prefix: entryPrefix,
  });
const counts = () => api.forge.table.get(countsKey(where.repository.id, 0));

describe("issueEditIssue", () => {
  it("201: the author changes title, body, ref and state in one request (OP-issueEditIssue)", async () => {
    api.clock.advance(60_000);
    const body = { title: "After", body: "new text", ref: "dev", state: "closed" };
    const answer = await edit(body, author);
    expect(answer.status).toBe(201);
    const now = new Date(api.clock.now()).toISOString().replace(".000Z", "Z");
    expect(answer.json).toMatchObject({ ...body, closed_at: now, updated_at: now, user: { login: "arno" } });
    expect(answer.json.created_at).not.toBe(now);
    expect(await read(author)).toEqual(answer.json);
  });

  it("201: owner and site administrator edit issues of others", async () => {
    expect((await edit({ title: "by the owner" }, owner)).json.title).toBe("by the owner");
    expect((await edit({ title: "by the administrator" }, admin)).json.title).toBe("by the administrator");
  });

  it("201: the zero time, with which clients say that there is none, clears the due date", async () => {
    expect((await edit({ due_date: "2030-05-01T08:00:00Z" }, owner)).json.due_date).toBe(
      "2030-05-01T23:59:59Z",
    );
    const { status, json } = await edit({ due_date: "0001-01-01T00:00:00Z" }, owner);
    expect([status, json.due_date]).toEqual([201, null]);
  });

  it("201: each change but that of the body leaves an entry in the timeline", async () => {
    await edit({ title: "After", body: "new text", ref: "" }, author);
    await edit({ due_date: "2030-05-01T08:00:00Z" }, owner);
    await edit({ due_date: "2030-06-01T08:00:00Z" }, owner);
    await edit({ unset_due_date: true, state: "closed" }, owner);
    await edit({ state: "open" }, author);
    const entries = await timeline();
    expect(entries).toMatchObject([
      { type: "change_title", oldTitle: "Before", newTitle: "After", authorId: author.user.id },
      { type: "change_issue_ref", oldRef: "main", newRef: "" },
      { type: "added_deadline", body: "2030-05-01", authorId: owner.user.id },
      { type: "modified_deadline", body: "2030-06-01|2030-05-01" },
      { type: "removed_deadline", body: "2030-06-01" },
      { type: "close", authorId: owner.user.id },
      { type: "reopen", authorId: author.user.id },
    ]);
    const rows = await api.forge.table.queryAll<EntryRow>({ pk: entryRowsPartition(where.repository.id) });
    expect(rows.map((row) => row.id)).toEqual(entries.map((entry) => entry.id));
  });

  it("201: closing and reopening set and clear closed_at and move the repository's counts", async () => {
    const closed = (await edit({ state: "closed" }, author)).json;
    expect(closed).toMatchObject({ state: "closed", closed_at: closed.updated_at });
    expect(await counts()).toMatchObject({ openIssues: 0, closedIssues: 1 });
    expect((await edit({ state: "closed" }, author)).json.closed_at).toBe(closed.closed_at);
    expect(await counts()).toMatchObject({ openIssues: 0, closedIssues: 1 });
    expect((await edit({ state: "open" }, author)).json).toMatchObject({ state: "open", closed_at: null });
    expect(await counts()).toMatchObject({ openIssues: 1, closedIssues: 0 });
  });

  it("201: any state but closed opens", async () => {
    await edit({ state: "closed" }, author);
    expect((await edit({ state: "whatever" }, author)).json.state).toBe("open");
  });

  it("201: nothing asked, or nothing new, changes nothing, not even updated_at", async () => {
    const before = await read(author);
    api.clock.advance(60_000);
    for (const body of [{}, { title: "Before", body: "old text", state: "open" }, { title: "" }]) {
      expect((await edit(body, author)).json).toEqual(before);
    }
    expect(await timeline()).toEqual([]);
  });

  it("201: the body may be emptied, an empty title is ignored", async () => {
    expect((await edit({ title: "", body: "" }, author)).json).toMatchObject({ title: "Before", body: "" });
  });

  it("201: a due date counts as the end of its day in its own offset, and can be unset", async () => {
    const due = async (body: object) => (await edit(body, owner)).json.due_date;
    expect(await due({ due_date: "2030-05-01T08:00:00Z" })).toBe("2030-05-01T23:59:59Z");
    expect(await due({ due_date: "2030-05-01T23:30:00-05:00" })).toBe("2030-05-02T04:59:59Z");
    expect(await due({ unset_due_date: true })).toBeNull();
  });

  it("201: the due date of an author who is no writer is ignored, the rest of their changes hold", async () => {
    const answer = await edit({ title: "After", due_date: "2030-05-01T08:00:00Z" }, author);
    expect(answer.json).toMatchObject({ title: "After", due_date: null });
  });

  it("201: an archived repository does not keep from editing issues (semantics §1.8)", async () => {
    await setRepository(api, where, { isArchived: true });
    expect((await edit({ title: "After" }, owner)).status).toBe(201);
  });

  it("201: 20 edits at once all land, and the issue ends as one of them left it", async () => {
    holdTimeStill();
    const titles = Array.from({ length: 20 }, (_, at) => `Title ${at}`);
    const answers = await Promise.all(titles.map((title) => edit({ title }, author)));
    expect(answers.map((answer) => answer.status)).toEqual(titles.map(() => 201));
    const entries = (await timeline()).filter((entry) => entry.type === "change_title");
    expect(new Set(entries.map((entry) => entry.newTitle))).toEqual(new Set(titles));
    const last = await read();
    const listed = (await api.call("GET", `${where.path}/issues?sort=recentupdate`)).json;
    expect(listed).toEqual([last]);
    const followed = new Map(entries.map((entry) => [entry.oldTitle, entry.newTitle]));
    let title: string | undefined = "Before";
    for (let step = 0; step < titles.length; step += 1) title = followed.get(title);
    expect(title).toBe(last.title);
  });

  it("401: anonymous, and nothing is changed", async () => {
    const answer = await edit({ title: "After" });
    expect(answer.status).toBe(401);
    expect((await read()).title).toBe("Before");
  });

  it("403: a reader who is not the author, without a body, and nothing is changed", async () => {
    const answer = await edit({ title: "After" }, outsider);
    expect([answer.status, answer.text]).toEqual([403, ""]);
    expect((await read()).title).toBe("Before");
  });

  it("403: a token without write:issue is told so in JSON", async () => {
    const answer = await edit({ title: "After" }, await withScopes(api, author, ["read:issue"]));
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain("write:issue");
  });

  it("404: no such number, and a repository that is hidden from the caller", async () => {
    expect((await edit({ title: "After" }, owner, 99)).status).toBe(404);
    await setRepository(api, where, { isPrivate: true });
    expect((await edit({ title: "After" }, author)).status).toBe(404);
  });

  it("422: texts over their bounds, a blank title, a date that is none; nothing is changed (D-TEXT)", async () => {
    const before = await read();
    const bodies = [
      { title: "x".repeat(256), body: "new" },
      { title: "new", body: "x".repeat(65_537) },
      { title: "   " },
      { title: "new", due_date: "bad" },
    ];
    for (const body of bodies) expect((await edit(body, author)).status).toBe(422);
    expect(await read()).toEqual(before);
  });
});
