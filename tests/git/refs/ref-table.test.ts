import { describe, expect, it } from "vitest";
import { checkFolders, checkNames, checkOldValue } from "#core/git/refs/check-changes";
import { compareRefNames } from "#core/git/refs/ref-name";
import { type RefEntry, RefTable, type RefUpdate } from "#core/git/refs/ref-table";

const entry = (name: string, id = "a".repeat(40)): RefEntry => ({ name, id, pusherId: 1, updatedMs: 0 });
const create = (name: string, id?: string): RefUpdate => ({ name, entry: entry(name, id) });
const remove = (name: string): RefUpdate => ({ name, entry: undefined });

describe("RefTable", () => {
  it("equals a plain map after random updates", () => {
    let state = 99;
    const random = (below: number) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return (state >>> 8) % below;
    };
    const model = new Map<string, string>();
    let table = RefTable.empty;
    for (let round = 0; round < 300; round++) {
      const updates = Array.from({ length: random(6) }, () => {
        const name = `refs/heads/${["a", "b", "ä", "\u{1f480}", "z/y"][random(5)]}${random(20)}`;
        return random(3) === 0 ? remove(name) : create(name, String(random(10)).repeat(40));
      });
      for (const { name, entry: after } of updates) {
        if (after === undefined) model.delete(name);
        else model.set(name, after.id);
      }
      table = table.with(updates);
      const expected = [...model].sort(([left], [right]) => compareRefNames(left, right));
      expect(table.entries.map(({ name, id }) => [name, id])).toEqual(expected);
    }
    for (const [name, id] of model) expect(table.find(name)?.id).toBe(id);
    expect(table.find("refs/heads/none")).toBeUndefined();
  });

  it("lists by prefix and finds by object", () => {
    const names = ["refs/heads/a", "refs/heads/a/b", "refs/heads/ab", "refs/heads/b", "refs/tags/a"];
    const table = RefTable.empty.with(names.map((name) => create(name)));
    expect(table.list("refs/heads/a").map(({ name }) => name)).toEqual(names.slice(0, 3));
    expect(table.list().length).toBe(5);
    const any = table.listAny(["refs/tags/", "refs/heads/a", "refs/heads/a/", "refs/heads/ab"]);
    expect(any.map(({ name }) => name)).toEqual([...names.slice(0, 3), "refs/tags/a"]);
    expect(table.list("refs/x")).toEqual([]);
    expect(table.hasPrefix("refs/heads/a/")).toBe(true);
    expect(table.hasPrefix("refs/heads/b/")).toBe(false);
    expect(table.pointingAt("a".repeat(40))).toHaveLength(5);
    expect(table.pointingAt("b".repeat(40))).toEqual([]);
  });
});

describe("checkNames", () => {
  const id = "a".repeat(40);

  it.each(["refs/heads/main", "refs/tags/v1.0", "refs/notes/commits", "refs/heads/a#b", "refs/heads/größe"])(
    "takes %s",
    (name) => {
      expect(checkNames([{ name, new: id }])).toEqual([undefined]);
    },
  );

  it.each([
    "main",
    "HEAD",
    "heads/main",
    "refs/heads/a..b",
    "refs/heads/a b",
    "refs/heads/.a",
    "refs/heads/a.lock",
    "refs/heads/a~1",
    "refs/heads/a:b",
    "refs/heads/@{1}",
    "refs/heads/a/",
    "refs/heads/a.",
    "refs/heads/a\\b",
    "refs/heads/\x7f",
    `refs/heads/${"x".repeat(1000)}`,
    `refs/heads/${"a/".repeat(100)}b`,
  ])("refuses %j", (name) => {
    expect(checkNames([{ name, new: id }])[0]).toBeTypeOf("string");
  });

  it("refuses a ref that one push names twice", () => {
    const name = "refs/heads/a";
    expect(
      checkNames([
        { name, new: id },
        { name, new: id },
      ]),
    ).toEqual(Array(2).fill("named more than once in this push"));
  });
});

describe("checkOldValue", () => {
  const table = RefTable.empty.with([create("refs/heads/a")]);
  const a = "a".repeat(40);
  const b = "b".repeat(40);

  it("takes what is as the pusher saw it and says what else is there", () => {
    expect(checkOldValue(table, { name: "refs/heads/a", old: a, new: b })).toBeUndefined();
    expect(checkOldValue(table, { name: "refs/heads/b", new: b })).toBeUndefined();
    expect(checkOldValue(table, { name: "refs/heads/a", old: b, new: b })).toContain("moved to aaaaaaaaaaaa");
    expect(checkOldValue(table, { name: "refs/heads/a", new: b })).toContain("already exists");
    expect(checkOldValue(table, { name: "refs/heads/b", old: a })).toContain("no longer exists");
  });
});

describe("checkFolders", () => {
  it("answers for many updates what it answers for few", () => {
    const many = Array.from({ length: 100 }, (_, at) => create(`refs/heads/many/${at}`));
    const clashing = [create("refs/heads/x"), create("refs/heads/x/y"), create("refs/heads/a/b/c")];
    const few = [...checkFolders(table, clashing)];
    expect([...checkFolders(table, [...many, ...clashing])]).toEqual(few);
  });

  const table = RefTable.empty.with([create("refs/heads/a"), create("refs/heads/d/e")]);

  it("refuses a name below a ref and a ref above names", () => {
    expect([...checkFolders(table, [create("refs/heads/a/b"), create("refs/heads/d")]).keys()]).toEqual([
      "refs/heads/a/b",
      "refs/heads/d",
    ]);
    expect(checkFolders(table, [create("refs/heads/ab"), create("refs/heads/d/f")]).size).toBe(0);
  });

  it("counts what the same push deletes and creates", () => {
    expect(checkFolders(table, [remove("refs/heads/a"), create("refs/heads/a/b")]).size).toBe(0);
    expect(checkFolders(table, [create("refs/heads/x"), create("refs/heads/x/y")]).size).toBe(2);
  });
});
