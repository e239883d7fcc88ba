import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { commentClearingKind } from "#core/comment/clear";
import { commentPlace, entryKey, type TimelineEntry } from "#core/comment/comment.table";
import { editPrefix, type TextEdit } from "#core/content-history/content-history.table";
import { defined } from "#core/defined";
import { type Issue, issueKey, issuePartition, issuePlace } from "#core/issue/issue.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

import { finishJobs, runJobs } from "#tests/support/jobs";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { addComment, emptyDeletedIssues, openIssue } from "../make.ts";
import { listContentHistory } from "./list-content-history.ts";

let api: TestApi;
let owner: Caller;
let writer: Caller;
let where: TestRepository;
const minute = 60_000;

beforeAll(async () => {
  api = await makeApi();
  [owner, writer] = [await api.makeUser(), await api.makeUser()];
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  const body = { permission: "write" };
  await api.call("PUT", `${where.path}/collaborators/${writer.name}`, { as: owner, body });
  await openIssue(api, where, owner, { title: "one", body: "first" });
});
afterAll(() => api.stop());

const text = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, "Z");
const now = () => api.clock.now() / 1000;
const call = async (method: string, path: string, body?: object, as = owner) => {
  const answer = await api.call(method, `${where.path}${path}`, { as, ...defined({ body }) });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
};
const patch = (path: string, body: object, as = owner) => call("PATCH", path, body, as);
const everything = { page: 1, limit: 50 };
async function ofIssue(page = everything, number = 1) {
  const issue = await api.forge.table.get<Issue>(issueKey(where.repository.id, number));
  if (issue === undefined) throw new Error("the issue is not there");
  return listContentHistory(api.forge, issuePlace(issue), issue, page);
}
async function ofComment(id: number, page = everything) {
  const comment = await api.forge.table.get<TimelineEntry>(entryKey(where.repository.id, 1, id));
  if (comment === undefined) throw new Error("the comment is not there");
  return listContentHistory(api.forge, commentPlace(comment), comment, page);
}
const stored = () =>
  api.forge.table.queryAll<TextEdit>({ pk: issuePartition(where.repository.id, 1), prefix: editPrefix });
/** Keys alone: the rest is long. */
const left = async (number: number) =>
  (await api.forge.table.queryAll({ pk: issuePartition(where.repository.id, number) })).map(({ sk }) => sk);
const bodies = ({ items }: { items: readonly { body: string }[] }) => items.map(({ body }) => body);

/** The texts that have a history, and the ways to rewrite them. */
const kinds = [
  {
    kind: "an issue (issueEditIssue)",
    make: async () => ({ id: 0, path: "/issues/1" }),
  },
  {
    kind: "a comment (issueEditComment)",
    make: async () => {
      const { id } = await addComment(api, where, 1, owner, "first");
      return { id, path: `/issues/comments/${id}` };
    },
  },
  {
    kind: "a comment (issueEditCommentDeprecated)",
    make: async () => {
      const { id } = await addComment(api, where, 1, owner, "first");
      return { id, path: `/issues/1/comments/${id}` };
    },
  },
];

describe.each(kinds)("the content history of $kind", ({ make }) => {
  const listOf = (id: number, page = everything) => (id === 0 ? ofIssue(page) : ofComment(id, page));

  it("tells who wrote what and when, newest first, dated as given (B-01, semantics §4.3)", async () => {
    const { id, path } = await make();
    const created = now();
    api.clock.advance(10 * minute);
    await patch(path, { body: "second" }, writer);
    const second = now();
    api.clock.advance(10 * minute);
    const given = api.clock.now() - 5 * minute;
    await patch(path, { body: "third", updated_at: text(given) });
    const expected = [
      { number: 2, authorId: owner.user.id, writtenAt: given / 1000, body: "third" },
      { number: 1, authorId: writer.user.id, writtenAt: second, body: "second" },
      { number: 0, authorId: owner.user.id, writtenAt: created, body: "first" },
    ];
    expect(await listOf(id)).toEqual({ items: expected, total: 3 });
    expect(await listOf(id, { page: 2, limit: 2 })).toEqual({ items: expected.slice(2), total: 3 });
    expect(await listOf(id, { page: 3, limit: 2 })).toEqual({ items: [], total: 3 });
  });

  it("has nothing but the text until it is edited; an edit that changes nothing of it writes nothing", async () => {
    const { id, path } = await make();
    api.clock.advance(10 * minute);
    await patch(path, { body: "first" });
    await patch(path, { body: "first", updated_at: text(api.clock.now() - minute) });
    if (id === 0) await patch(path, { title: "other", state: "closed" });
    expect(await stored()).toEqual([]);
    expect(await listOf(id)).toMatchObject({ items: [{ number: 0, body: "first" }], total: 1 });
  });

  it("keeps the first text and the newest twenty edits, in as many rows", async () => {
    const { id, path } = await make();
    for (let edit = 1; edit <= 20; edit += 1) await patch(path, { body: `edit ${edit}` });
    const down = (from: number, to: number) =>
      Array.from({ length: from - to + 1 }, (_, place) => `edit ${from - place}`);
    expect(bodies(await listOf(id))).toEqual([...down(20, 1), "first"]);
    for (let edit = 21; edit <= 25; edit += 1) await patch(path, { body: `edit ${edit}` });
    const last = await listOf(id);
    expect(bodies(last)).toEqual([...down(25, 6), "first"]);
    expect(last.total).toBe(21);
    expect(bodies(await listOf(id, { page: 3, limit: 10 }))).toEqual(["first"]);
    expect(await stored()).toHaveLength(21);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  });

  it("keeps every text that racing edits replaced (both stand)", async () => {
    const { id, path } = await make();
    const written = ["a", "b", "c", "d"];
    await Promise.all(written.map((body) => patch(path, { body })));
    const [newest, ...others] = bodies(await listOf(id));
    expect(others.at(-1)).toBe("first");
    expect([newest, ...others.slice(0, -1)].sort()).toEqual(written);
  });

  it("keeps texts of the greatest length whole (D-TEXT)", async () => {
    const { id, path } = await make();
    const long = ["€", "ß"].map((letter) => letter.repeat(65_536));
    for (const body of long) await patch(path, { body });
    expect(bodies(await listOf(id)).map((body) => body === long[0] || body === long[1] || body)).toEqual([
      true,
      true,
      "first",
    ]);
  });
});

describe("content histories", () => {
  /** More than one answer of the table holds: 1 MB. */
  const fill = async (path: string) => {
    for (let edit = 0; edit < 8; edit += 1) await patch(path, { body: `${edit}${"€".repeat(65_000)}` });
  };

  it("go with their comment, those of the issue and of other comments stay", async () => {
    const [{ id }, kept] = [await addComment(api, where, 1, owner), await addComment(api, where, 1, owner)];
    await fill(`/issues/comments/${id}`);
    await patch(`/issues/comments/${kept.id}`, { body: "edited" });
    await patch("/issues/1", { body: "edited" });
    await call("DELETE", `/issues/comments/${id}`);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
    await runJobs(api, commentClearingKind);
    expect((await stored()).map(({ former }) => former)).toEqual(["first", "A comment"]);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  });

  it("go with their issue", async () => {
    const { id } = await addComment(api, where, 1, owner);
    for (const path of ["/issues/1", `/issues/comments/${id}`]) await fill(path);
    await call("DELETE", "/issues/1");
    await emptyDeletedIssues(api);
    expect(await left(1)).toEqual([]);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  });

  it("go with their repository", async () => {
    const { id } = await addComment(api, where, 1, owner);
    for (const path of ["/issues/1", `/issues/comments/${id}`]) await fill(path);
    await call("DELETE", "");
    await finishJobs(api);
    expect(await left(1)).toEqual([]);
  });

  it("go with the purged account: of its texts (B-14)", async () => {
    const boss = await api.makeUser({ isAdmin: true });
    const gone = await api.makeUser();
    await openIssue(api, where, gone, { body: "theirs" });
    const { id } = await addComment(api, where, 1, gone, "their remark");
    await patch("/issues/2", { body: "edited" });
    await patch(`/issues/comments/${id}`, { body: "edited" });
    await api.call("DELETE", `/admin/users/${gone.name}?purge=true`, { as: boss });
    await finishJobs(api);
    expect(await stored()).toEqual([]);
    expect(await left(2)).toEqual([]);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  });

  it("are in no answer and in no count of the API", async () => {
    const shown = async () =>
      JSON.stringify([
        await call("GET", "/issues/1/timeline"),
        await call("GET", "/issues/comments"),
        (await call("GET", "/issues/1")).comments,
      ]);
    const before = await shown();
    await patch("/issues/1", { body: "second" });
    expect(await stored()).toHaveLength(1);
    expect(await shown()).toBe(before);
    expect(Object.keys(await call("GET", "/issues/1"))).not.toContain("edits");
  });
});
