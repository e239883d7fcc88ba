import { describe, expect, it } from "vitest";
import {
  api,
  call,
  kinds,
  listOf,
  owner,
  patch,
  stored,
  useHistories,
  writer,
} from "./content-history-world.ts";

useHistories();

const minute = 60_000;

const text = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, "Z");
const now = () => api.clock.now() / 1000;

describe.each(kinds)("the content history of $kind", ({ make }) => {
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
});

describe("content histories", () => {
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
