import { describe, expect, it } from "vitest";
import { commentClearingKind } from "#core/comment/clear";
import { issuePartition } from "#core/issue/issue.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { finishJobs, runJobs } from "#tests/support/jobs";
import { addComment, emptyDeletedIssues, openIssue } from "../make.ts";
import {
  api,
  call,
  kinds,
  listOf,
  owner,
  patch,
  stored,
  useHistories,
  where,
} from "./content-history-world.ts";

useHistories();

/** Keys alone: the rest is long. */
const left = async (number: number) =>
  (await api.forge.table.queryAll({ pk: issuePartition(where.repository.id, number) })).map(({ sk }) => sk);
const bodies = ({ items }: { items: readonly { body: string }[] }) => items.map(({ body }) => body);

describe.each(kinds)("the content history of $kind", ({ make }) => {
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
});
