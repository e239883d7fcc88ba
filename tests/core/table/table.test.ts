import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isForgeError } from "#core/errors";
import { absent, all, any, below, type Condition, equals, exists } from "#core/table/condition";
import { check, keyText, put, remove, update } from "#core/table/write";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";

let on: TestForge;
/**
 * Gives up soon: for requests that should be Unavailable. Requests that should succeed in the end get all the time they
 * need.
 */
let hasty: TestForge;
let pk = "";
let partitions = 0;
beforeAll(async () => {
  on = await makeForge();
  hasty = await makeForge({ retryBudgetMs: 100 });
});
beforeEach(() => {
  for (const { faults } of [on, hasty]) faults.recover();
  partitions += 1;
  pk = `P#${partitions}`;
});
afterAll(() => Promise.all([on.stop(), hasty.stop()]));

const key = (sk: string | number) => ({ pk, sk: String(sk) });
const table = () => on.forge.table;
async function fill(count: number, attributes: object = {}): Promise<string[]> {
  const names = Array.from({ length: count }, (_, place) => String(place).padStart(4, "0"));
  for (let at = 0; at < names.length; at += 100) {
    await table().transact(names.slice(at, at + 100).map((sk) => put({ ...key(sk), ...attributes })));
  }
  return names;
}
const skOf = (items: readonly { sk: string }[]) => items.map((item) => item.sk);

describe("table.get and getAll", () => {
  it("get answers the item, or undefined when there is none", async () => {
    await table().write(put({ ...key(1), text: "é", bytes: Uint8Array.of(1, 2), set: new Set([3]), n: 1.5 }));
    const item = await table().get(key(1));
    expect(item).toEqual({ ...key(1), text: "é", bytes: Uint8Array.of(1, 2), set: new Set([3]), n: 1.5 });
    expect(await table().get(key(2))).toBeUndefined();
  });

  it("getAll reads any number of keys, each once, and leaves out what is absent", async () => {
    const names = await fill(230);
    const keys = [...names, ...names, "absent"].map(key);
    const { result, usage } = await measured(() => table().getAll(keys));
    expect(result.size).toBe(230);
    expect(result.get(keyText(key("0007")))).toEqual(key("0007"));
    expect(usage.operations).toEqual({ "dynamodb:BatchGetItem": 3 });
    expect(await table().getAll([])).toEqual(new Map());
  });

  it("getAll asks again for what came back unprocessed", async () => {
    const names = await fill(90);
    const fault = { service: "dynamodb", operation: "BatchGetItem", fault: "unprocessed", times: 3 } as const;
    on.faults.inject(fault);
    const { result, usage } = await measured(() => table().getAll(names.map(key)));
    expect(result.size).toBe(90);
    expect(usage.operations).toEqual({ "dynamodb:BatchGetItem": 4 });
  });

  it("getAll is Unavailable, never incomplete, when keys stay unprocessed", async () => {
    hasty.faults.inject({ service: "dynamodb", fault: "unprocessed", times: 1000 });
    await expect(hasty.forge.table.getAll([key(1), key(2)])).rejects.toSatisfy((error) =>
      isForgeError(error, "unavailable"),
    );
  });
});

describe("table.query", () => {
  it("answers a run by prefix, by bounds, behind a key, backwards, and no other partition", async () => {
    for (const sk of ["a#1", "a#2", "b#1", "b#2", "c#1"]) await table().write(put(key(sk)));
    await table().write(put({ pk: `${pk}x`, sk: "a#3" }));
    const run = async (members: object) => skOf(await table().queryAll({ pk, ...members }));
    expect(await run({})).toEqual(["a#1", "a#2", "b#1", "b#2", "c#1"]);
    expect(await run({ prefix: "b#" })).toEqual(["b#1", "b#2"]);
    expect(await run({ from: "a#2", to: "b#2" })).toEqual(["a#2", "b#1", "b#2"]);
    expect(await run({ from: "b#2" })).toEqual(["b#2", "c#1"]);
    expect(await run({ to: "a#2" })).toEqual(["a#1", "a#2"]);
    expect(await run({ after: "b#1" })).toEqual(["b#2", "c#1"]);
    expect(await run({ prefix: "a#", reverse: true })).toEqual(["a#2", "a#1"]);
    expect(await run({ reverse: true, after: "b#1" })).toEqual(["a#2", "a#1"]);
  });

  it.each<[string, object, string[]]>([
    ["an empty prefix is none", { prefix: "" }, ["a#1", "b#1", "b#2", "c#1"]],
    ["an empty bound is none below", { from: "" }, ["a#1", "b#1", "b#2", "c#1"]],
    ["nothing lies under an empty bound", { to: "" }, []],
    ["nothing lies between bounds that cross", { from: "b#2", to: "b#1" }, []],
    ["behind nothing all is to come", { after: "" }, ["a#1", "b#1", "b#2", "c#1"]],
    ["behind nothing, backwards, nothing is", { after: "", reverse: true }, []],
    ["behind a key before the prefix all is to come", { prefix: "b#", after: "a#1" }, ["b#1", "b#2"]],
    ["behind a key past the prefix nothing is", { prefix: "b#", after: "c#1" }, []],
    [
      "backwards, from past the prefix, all is to come",
      { prefix: "b#", after: "c#1", reverse: true },
      ["b#2", "b#1"],
    ],
    ["backwards, from before the prefix, nothing is", { prefix: "b#", after: "a#1", reverse: true }, []],
    ["behind a key below the bound all is to come", { from: "b#2", after: "a#1" }, ["b#2", "c#1"]],
    ["behind a key above the bound nothing is", { to: "b#1", after: "b#2" }, []],
    [
      "backwards, from above the bound, all is to come",
      { to: "b#1", after: "c#1", reverse: true },
      ["b#1", "a#1"],
    ],
    ["behind a bound the rest is to come", { from: "b#1", to: "c#1", after: "b#1" }, ["b#2", "c#1"]],
  ])("asks as DynamoDB takes it: %s", async (_, members, expected) => {
    for (const sk of ["a#1", "b#1", "b#2", "c#1"]) await table().write(put(key(sk)));
    expect(skOf(await table().queryAll({ pk, ...members }))).toEqual(expected);
  });

  it("finds nothing under an empty key", async () => {
    expect(await table().get(key(""))).toBeUndefined();
    expect((await table().getAll([key("")])).size).toBe(0);
    expect(await table().queryAll({ pk: "" })).toEqual([]);
  });

  it("goes on from page to page by `next`, without the last page's having one", async () => {
    const names = await fill(7);
    const first = await table().query({ pk, limit: 3 });
    expect(skOf(first.items)).toEqual(names.slice(0, 3));
    expect(first.next).toBe(names[2]);
    const rest = await table().query({ pk, after: first.next ?? "" });
    expect(skOf(rest.items)).toEqual(names.slice(3));
    expect(rest).not.toHaveProperty("next");
  });

  it("queryAll joins what one answer can't hold, and stops at the limit", async () => {
    const text = "x".repeat(30_000);
    const names = await fill(80, { text });
    const { result, usage } = await measured(() => table().queryAll({ pk }));
    expect(skOf(result)).toEqual(names);
    expect(usage.operations["dynamodb:Query"]).toBeGreaterThan(1);
    expect(skOf(await table().queryAll({ pk, limit: 60 }))).toEqual(names.slice(0, 60));
  });
});

describe("table.write", () => {
  const stored = { n: 5, text: "abc", tags: new Set(["a", "b"]) };
  const conditions: [string, Condition, boolean, boolean][] = [
    ["absent", absent, false, true],
    ["exists", exists, true, false],
    ["equals", equals({ n: 5, text: "abc" }), true, false],
    ["equals another value", equals({ n: 6 }), false, false],
    ["equals undefined: the attribute is missing", equals({ other: undefined }), true, true],
    ["below", below({ n: 6 }), true, false],
    ["not below the same", below({ n: 5 }), false, false],
    ["sizeAbove", { sizeAbove: { tags: 1 } }, true, false],
    ["sizeAbove the same", { sizeAbove: { tags: 2 } }, false, false],
    ["contains", { contains: { tags: "a" } }, true, false],
    ["lacks", { lacks: { tags: "c" } }, true, true],
    ["all", all(exists, equals({ n: 6 })), false, false],
    ["any", any(absent, equals({ n: 5 })), true, true],
    ["all within any", any(equals({ n: 6 }), all(exists, below({ n: 9 }))), true, false],
  ];
  it.each(conditions)("a write under the condition %s", async (_title, when, onItem, onNone) => {
    await table().write(put({ ...key("there"), ...stored }));
    expect(await table().write(update(key("there"), { set: { seen: true } }, when))).toBe(onItem);
    expect((await table().get(key("there")))?.seen).toBe(onItem ? true : undefined);
    expect(await table().write(put(key("none"), when))).toBe(onNone);
    expect((await table().get(key("none"))) !== undefined).toBe(onNone);
  });

  it("update sets, sets once, adds, takes and unsets", async () => {
    await table().write(put({ ...key(1), ...stored, gone: 1, kept: "first" }));
    const changes = {
      set: { text: "new", ignored: undefined },
      setOnce: { kept: "second", fresh: "first" },
      add: { n: 2, more: 1 },
      take: { tags: new Set(["a"]) },
      unset: ["gone"],
    };
    await table().write(update(key(1), changes));
    expect(await table().get(key(1))).toEqual({
      ...key(1),
      n: 7,
      more: 1,
      text: "new",
      kept: "first",
      fresh: "first",
      tags: new Set(["b"]),
    });
  });

  it("remove removes; what is absent is no error; a condition check alone is refused", async () => {
    await table().write(put(key(1)));
    expect(await table().write(remove(key(1), exists))).toBe(true);
    expect(await table().write(remove(key(1), exists))).toBe(false);
    expect(await table().write(remove(key(1)))).toBe(true);
    await expect(table().write(check(key(1), exists))).rejects.toThrow(TypeError);
  });

  it("of many conditional writes of one version one wins", async () => {
    await table().write(put({ ...key(1), v: 1 }));
    const tries = Array.from({ length: 20 }, () =>
      table().write(update(key(1), { set: { v: 2 } }, equals({ v: 1 }))),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
  });
});

describe("table.increment", () => {
  it("gives each of many callers a number of their own", async () => {
    const numbers = await Promise.all(Array.from({ length: 40 }, () => table().increment(key("n"), "n")));
    expect(numbers.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, place) => place + 1),
    );
    expect(await table().increment(key("n"), "n", 100)).toBe(140);
  });

  it("a lost answer costs a number, and gives none twice", async () => {
    on.faults.inject({ service: "dynamodb", operation: "UpdateItem", fault: "lost-answer" });
    expect([await table().increment(key("n"), "n"), await table().increment(key("n"), "n")]).toEqual([2, 3]);
  });
});

describe("table.removeAll", () => {
  it("removes any number of items, 25 a request, absent and double ones too", async () => {
    const names = await fill(60);
    const { usage } = await measured(() => table().removeAll([...names, "absent", "0001"].map(key)));
    expect(await table().queryAll({ pk })).toEqual([]);
    expect(usage.operations).toEqual({ "dynamodb:BatchWriteItem": 3 });
  });

  it("asks again for what came back unprocessed, and is Unavailable when it stays so", async () => {
    const names = await fill(20);
    const fault = { service: "dynamodb", operation: "BatchWriteItem", fault: "unprocessed" } as const;
    on.faults.inject({ ...fault, times: 2 });
    await table().removeAll(names.map(key));
    expect(await table().queryAll({ pk })).toEqual([]);
    hasty.faults.inject({ ...fault, times: 1000 });
    await expect(hasty.forge.table.removeAll([key(1)])).rejects.toSatisfy((error) =>
      isForgeError(error, "unavailable"),
    );
  });
});

describe("table.transact", () => {
  it("commits all of its writes, or none and names those whose condition did not hold", async () => {
    await table().write(put({ ...key("there"), v: 1 }));
    const writes = (v: number) => [
      put(key("new"), absent),
      update(key("there"), { set: { v: v + 1 } }, equals({ v })),
      check(key("none"), absent),
      remove(key("old")),
    ];
    expect(await table().transact(writes(1))).toEqual({ committed: true, conflicts: 0 });
    expect(await table().transact(writes(1))).toEqual({
      committed: false,
      failed: [0, 1],
      contended: [],
      conflicts: 0,
    });
    expect(await table().get(key("there"))).toMatchObject({ v: 2 });
  });

  it("refuses an item named twice and more than 100 items without asking DynamoDB", async () => {
    const { usage } = await measured(async () => {
      await expect(table().transact([put(key(1)), check(key(1), exists)])).rejects.toThrow("one item twice");
      const many = Array.from({ length: 101 }, (_, place) => put(key(place)));
      await expect(table().transact(many)).rejects.toThrow("101 items");
    });
    expect(usage.tableRequests).toBe(0);
  });

  it("is applied once when its answer got lost", async () => {
    on.faults.inject({
      service: "dynamodb",
      operation: "TransactWriteItems",
      fault: "lost-answer",
      times: 2,
    });
    const writes = [update(key("n"), { add: { n: 1 } }), put(key("guard"), absent)];
    expect(await table().transact(writes)).toEqual({ committed: true, conflicts: 2 });
    expect(await table().get(key("n"))).toMatchObject({ n: 1 });
  });

  it("is applied once under a token that the caller gives twice", async () => {
    const writes = [update(key("n"), { add: { n: 1 } })];
    const token = `token-${pk}`;
    await table().transact(writes, { token });
    await table().transact(writes, { token });
    expect(await table().get(key("n"))).toMatchObject({ n: 1 });
  });

  it("all of many rivals on one item get through in the end", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, place) =>
        table().transact([update(key("n"), { add: { n: 1 } }), put(key(`mine-${place}`))]),
      ),
    );
    const item = await table().get(key("n"));
    expect(outcomes.every((outcome) => outcome.committed)).toBe(true);
    expect(outcomes.some((outcome) => outcome.conflicts > 0)).toBe(true);
    expect(item).toMatchObject({ n: 30 });
  });
});

describe("table.transact with mostConflicts", () => {
  const conflictOn = (...codes: string[]) =>
    Object.assign(new Error("simulated conflict"), {
      name: "TransactionCanceledException",
      CancellationReasons: codes.map((Code) => ({ Code })),
    });
  const inject = (fault: Error | "lost-answer", times = 1) =>
    on.faults.inject({ service: "dynamodb", operation: "TransactWriteItems", fault, times });
  const transact = () => table().transact([put(key(1)), put(key(2))], { mostConflicts: 2 });

  it("is given up after so many, not applied, and names the writes that met others", async () => {
    inject(conflictOn("None", "TransactionConflict"), 2);
    expect(await transact()).toMatchObject({ committed: false, failed: [], contended: [1] });
    expect(await table().get(key(1))).toBeUndefined();
  });

  it("commits when fewer come", async () => {
    inject(conflictOn("TransactionConflict", "None"));
    expect(await transact()).toMatchObject({ committed: true, conflicts: 1 });
  });

  it("is not given up when an answer was lost before: it may have been applied", async () => {
    inject("lost-answer");
    inject(conflictOn("TransactionConflict", "None"), 3);
    expect(await transact()).toMatchObject({ committed: true });
  });
});

describe("table, failures that pass", () => {
  const passing = ["throttled", "unanswered", "lost-answer"] as const;
  it.each(passing)("%s requests are sent again until they succeed, each counted", async (fault) => {
    await table().write(put({ ...key(1), n: 1 }));
    on.faults.inject({ service: "dynamodb", fault, times: 2 });
    const { result, usage } = await measured(() => table().get(key(1)));
    expect(result).toMatchObject({ n: 1 });
    expect(usage).toMatchObject({ tableRequests: 3, operations: { "dynamodb:GetItem": 3 } });
  });

  it.each([
    ["get", () => hasty.forge.table.get(key(1))],
    ["query", () => hasty.forge.table.queryAll({ pk })],
    ["write", () => hasty.forge.table.write(put(key(1)))],
    ["increment", () => hasty.forge.table.increment(key(1), "n")],
    ["transact", () => hasty.forge.table.transact([put(key(1))])],
  ])("%s is Unavailable once its time is over, with the last failure as the cause", async (_name, ask) => {
    hasty.faults.inject({ service: "dynamodb", fault: "throttled", times: 1000 });
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(isForgeError(error, "unavailable")).toBe(true);
    expect(error).toHaveProperty("cause.name", "ProvisionedThroughputExceededException");
  });

  it("a failure that does not pass is thrown as it is, after one request", async () => {
    on.faults.inject({ service: "dynamodb", fault: new Error("broken") });
    const { usage } = await measured(() => expect(table().get(key(1))).rejects.toThrow("broken"));
    expect(usage.tableRequests).toBe(1);
  });

  it("a server's error passes, whatever its name", async () => {
    const fault = Object.assign(new Error("odd"), { name: "Odd", $metadata: { httpStatusCode: 502 } });
    on.faults.inject({ service: "dynamodb", fault });
    expect(await table().get(key(1))).toBeUndefined();
  });
});
