import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { absent } from "#core/table/condition";
import { keyText, put, remove, update } from "#core/table/write";
import { holdStandIns, makeForge, type TestForge, type TestForgeOptions } from "#tests/support/forge";

let on: TestForge;
beforeAll(holdStandIns);
afterEach(() => on.stop());
async function start(options: TestForgeOptions = {}) {
  on = await makeForge(options);
  return on.forge.table;
}
const key = (sk: string) => ({ pk: "P", sk });

describe("simulated conflicts", () => {
  const impatient = { retryBudgetMs: 0, simulation: { holdMs: 30 } };

  it("of two transactions in flight on one item the later fails", async () => {
    const table = await start(impatient);
    const first = table.transact([put(key("a")), put(key("b"))]);
    await expect(table.transact([put(key("b")), put(key("c"))])).rejects.toHaveProperty(
      "cause.CancellationReasons",
      [expect.objectContaining({ Code: "TransactionConflict" }), { Code: "None" }],
    );
    expect(await first).toEqual({ committed: true, conflicts: 0 });
    expect(await table.transact([put(key("b"))])).toMatchObject({ committed: true });
  });

  it("a plain write that meets a transaction fails, and so does a transaction that meets a plain write", async () => {
    const table = await start(impatient);
    const transaction = table.transact([put(key("a"))]);
    await expect(table.increment(key("a"), "n")).rejects.toHaveProperty(
      "cause.name",
      "TransactionConflictException",
    );
    await transaction;
    const plain = table.write(put(key("a")));
    await expect(table.transact([put(key("a"))])).rejects.toHaveProperty(
      "cause.name",
      "TransactionCanceledException",
    );
    expect(await plain).toBe(true);
    expect(await Promise.all([1, 2, 3].map(() => table.increment(key("n"), "n")))).toHaveLength(3);
  });

  it("a batch removal leaves out what a transaction holds, and gets it afterwards", async () => {
    const table = await start({ simulation: { holdMs: 30 } });
    await table.transact([put(key("a")), put(key("b"))]);
    const transaction = table.transact([update(key("a"), { set: { seen: true } })]);
    await Promise.all([transaction, table.removeAll([key("a"), key("b")])]);
    expect(await table.queryAll({ pk: "P" })).toEqual([]);
  });

  it("a second request under a token that is under way is told so", async () => {
    const table = await start(impatient);
    const first = table.transact([put(key("a"))], { token: "same" });
    await expect(table.transact([put(key("a"))], { token: "same" })).rejects.toHaveProperty(
      "cause.name",
      "TransactionInProgressException",
    );
    await first;
  });
});

describe("simulated visibility", () => {
  it("Query and BatchGet see the items of a transaction one after another, and all once it is answered", async () => {
    const table = await start();
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let seenPartly = 0;
    for (let round = 1; round <= 30; round += 1) {
      const state = { isDone: false };
      const writing = table.transact(names.map((sk) => put({ ...key(sk), round }))).then(() => {
        state.isDone = true;
      });
      while (!state.isDone) {
        const [queried, batch] = await Promise.all([
          table.queryAll({ pk: "P" }),
          table.getAll(names.map(key)),
        ]);
        for (const seen of [queried, [...batch.values()]]) {
          const fresh = seen.filter((item) => item.round === round).length;
          if (fresh > 0 && fresh < names.length) seenPartly += 1;
          expect(seen.every((item) => item.round === round || item.round === round - 1)).toBe(true);
        }
      }
      await writing;
      const after = await table.queryAll({ pk: "P" });
      expect(after.map((item) => item.round)).toEqual(names.map(() => round));
    }
    expect(seenPartly).toBeGreaterThan(0);
  });

  it("hides removals and additions alike, also in pages and backwards", async () => {
    const table = await start();
    await table.transact(["b", "d", "f"].map((sk) => put(key(sk))));
    const valid = new Set<string>();
    for (const removed of [[], ["d"], ["f"], ["d", "f"]]) {
      for (const added of [[], ["a"], ["e"], ["a", "e"]]) {
        valid.add([...["b", "d", "f"].filter((sk) => !removed.includes(sk)), ...added].sort().join(""));
      }
    }
    const state = { isDone: false };
    const writing = table
      .transact([remove(key("d")), remove(key("f")), put(key("a")), put(key("e"))])
      .then(() => {
        state.isDone = true;
      });
    while (!state.isDone) {
      const seen = (await table.queryAll({ pk: "P", reverse: true })).map((item) => item.sk);
      expect(valid).toContain(seen.reverse().join(""));
      const page = await table.query({ pk: "P", from: "b", to: "e", limit: 2 });
      expect(page.items.length).toBeLessThanOrEqual(2);
      expect(page.items.every((item) => item.sk >= "b" && item.sk <= "e")).toBe(true);
    }
    await writing;
    expect((await table.queryAll({ pk: "P" })).map((item) => item.sk)).toEqual(["a", "b", "e"]);
  });
});

describe("what readers see while a transaction is in flight is what the item was", () => {
  type Table = TestForge["forge"]["table"];
  const a = (n: number) => put({ ...key("a"), n });
  const token = "00000000-0000-4000-8000-000000000000";
  it.each<[string, number | undefined, (table: Table) => Promise<unknown>]>([
    ["a write", 2, (table) => table.write(a(2))],
    ["an update", 3, (table) => table.write(update(key("a"), { set: { n: 3 } }))],
    ["an update by a transaction", 4, (table) => table.transact([update(key("a"), { set: { n: 4 } })])],
    ["a removal", undefined, (table) => table.write(remove(key("a")))],
    ["a removal among others", undefined, (table) => table.removeAll([key("a"), key("b")])],
    ["a write that was refused", 1, (table) => table.write(put({ ...key("a"), n: 5 }, absent))],
    ["two writes at once", 6, (table) => Promise.all([table.write(a(6)), table.write(a(6))])],
    [
      "a transaction that is sent again after a later write",
      8,
      async (table) => {
        await table.transact([a(7)], { token });
        await table.write(a(8));
        await table.transact([a(7)], { token });
      },
    ],
  ])("after %s", async (_, former, change) => {
    const table = await start();
    await table.transact([a(1), put(key("b"))]);
    await change(table);
    const transaction = table.transact([a(0), put(key("b")), put(key("c"))]);
    const [seen, among, batch] = await Promise.all([
      table.get(key("a")),
      table.query({ pk: "P", prefix: "a" }),
      table.getAll([key("a"), key("c")]),
    ]);
    await transaction;
    for (const item of [seen, among.items[0], batch.get(keyText(key("a")))]) {
      expect([former, 0]).toContain(item?.n);
    }
  });

  it("without a reading before each transaction, where its items are known", async () => {
    const table = await start();
    const sent = vi.spyOn(on.direct.config.requestHandler, "handle");
    await table.transact([a(1), put(key("b"))]);
    await table.transact([a(2), remove(key("b"))]);
    await table.write(update(key("a"), { add: { n: 1 } }));
    await table.get(key("a"));
    await table.transact([a(4), put(key("b"))]);
    expect(sent).toHaveBeenCalledTimes(5);
    await table.write(update(key("a"), { add: { n: 1 } }));
    await table.transact([a(6)]);
    expect(sent).toHaveBeenCalledTimes(5 + 3);
    sent.mockRestore();
  });
});

describe("simulated index", () => {
  it("lags behind plain writes, transactions, updates and removals until it settles", async () => {
    const table = await start({ simulation: { indexLagMs: Number.POSITIVE_INFINITY } });
    const found = async () => (await table.queryActor("U#1")).keys.map(({ sk }) => sk).sort();
    await table.write(put({ ...key("a"), a: "U#1", as: "x#a" }));
    await table.transact([
      put({ ...key("b"), a: "U#1", as: "x#b" }),
      put({ ...key("c"), a: "U#2", as: "x" }),
    ]);
    expect(await found()).toEqual([]);
    on.settle();
    expect(await found()).toEqual(["a", "b"]);
    await table.write(remove(key("a")));
    await table.write(update(key("c"), { set: { a: "U#1", as: "x#c" } }));
    await table.removeAll([key("b")]);
    expect(await found()).toEqual(["a", "b"]);
    on.settle();
    expect(await found()).toEqual(["c"]);
  });

  it("catches up by itself after its lag", async () => {
    const table = await start({ simulation: { indexLagMs: 5 } });
    await table.write(put({ ...key("a"), a: "U#1", as: "x" }));
    await expect.poll(async () => (await table.queryActor("U#1")).keys).toEqual([key("a")]);
  });
});

describe("simulated crash", () => {
  it("kills before or after the n-th write over all services, and everything after it until recover", async () => {
    const table = await start();
    on.faults.crashAt(2, "before");
    await table.write(put(key("a")));
    await expect(table.write(put(key("b")))).rejects.toThrow("killed");
    await expect(table.get(key("a"))).rejects.toThrow("killed");
    on.faults.recover();
    expect(await table.get(key("b"))).toBeUndefined();
    on.faults.crashAt(2, "after");
    await on.forge.blobs.put("one", Buffer.from("1"));
    await expect(on.forge.queues.send("mirrors", [{ kind: "sync" }])).rejects.toThrow("killed");
    on.faults.recover();
    expect(await on.queues.take("mirrors")).toEqual([{ kind: "sync" }]);
  });
});
