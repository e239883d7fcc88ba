import { randomUUID } from "node:crypto";
import { BatchGetCommand, BatchWriteCommand, DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Item, onlyIfAbsent, openTestTable, type TestTable } from "./test-table.ts";

// Runs against AWS too: see target.ts for the variables. Each test has a partition of its own, emptied at the end.

let table: TestTable;
beforeAll(async () => {
  table = await openTestTable();
});
afterAll(() => table.close());

describe("PutItem and GetItem", () => {
  it("give back every kind of attribute", async () => {
    const pk = table.partition();
    const item = {
      ...{ pk, sk: "a", text: "ü\u{1f600}", empty: "", number: 12.5, large: 2 ** 53 - 1, negative: -1 },
      ...{ yes: true, nothing: null, bytes: new Uint8Array([0, 255]), list: [1, "a", { deep: [] }] },
      ...{ map: { "odd key.": 1 }, texts: new Set(["a", "b"]), numbers: new Set([1, 2]) },
    };
    await table.put(item);
    expect(await table.get(pk, "a")).toEqual(item);
  });

  it("find nothing under an absent key", async () => {
    expect(await table.get(table.partition(), "absent")).toBeUndefined();
  });

  it("ConditionalCheckFailedException: refuse a put whose condition fails, and show the item that was there", async () => {
    const pk = table.partition();
    await table.put({ pk, sk: "a", v: 1 }, onlyIfAbsent);
    const second = table.put(
      { pk, sk: "a", v: 2 },
      { ...onlyIfAbsent, ReturnValuesOnConditionCheckFailure: "ALL_OLD" },
    );
    await expect(second).rejects.toMatchObject({
      name: "ConditionalCheckFailedException",
      Item: { v: { N: "1" } },
    });
    expect(await table.get(pk, "a")).toMatchObject({ v: 1 });
  });

  it("refuse an item over 400 KB", async () => {
    const oversize = table.put({ pk: table.partition(), sk: "a", text: "x".repeat(410 * 1024) });
    await expect(oversize).rejects.toMatchObject({ name: "ValidationException" });
  });

  it("tell the capacity used", async () => {
    const written = await table.put(
      { pk: table.partition(), sk: "a", text: "x".repeat(1500) },
      { ReturnConsumedCapacity: "TOTAL" },
    );
    expect(written.ConsumedCapacity?.CapacityUnits).toBe(2);
  });
});

describe("Query", () => {
  const fill = async () => {
    const pk = table.partition();
    for (const sk of ["T#10", "T#2", "C#1", "C#2", "C#3", "Z"]) await table.put({ pk, sk, n: sk.length });
    return pk;
  };
  const keys = (found: { Items?: Item[] | undefined }) => found.Items?.map(({ sk }) => sk);

  it("gives a partition in the order of the sort keys' bytes, either way", async () => {
    const pk = await fill();
    const ordered = ["C#1", "C#2", "C#3", "T#10", "T#2", "Z"];
    expect(keys(await table.query(pk))).toEqual(ordered);
    expect(keys(await table.query(pk, { ScanIndexForward: false }))).toEqual(ordered.reverse());
  });

  it("narrows by prefix and by range", async () => {
    const pk = await fill();
    const prefix = await table.query(pk, {
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": pk, ":prefix": "C#" },
    });
    expect(keys(prefix)).toEqual(["C#1", "C#2", "C#3"]);
    const range = await table.query(pk, {
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
      ExpressionAttributeValues: { ":pk": pk, ":first": "C#2", ":last": "T#10" },
    });
    expect(keys(range)).toEqual(["C#2", "C#3", "T#10"]);
  });

  it("goes on after a page, and ends", async () => {
    const pk = await fill();
    const found: unknown[] = [];
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await table.query(pk, { Limit: 4, ExclusiveStartKey });
      found.push(...(keys(page) ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    expect(found).toEqual(["C#1", "C#2", "C#3", "T#10", "T#2", "Z"]);
  });

  it("gives the attributes asked for and counts", async () => {
    const pk = await fill();
    const page = await table.query(pk, {
      ProjectionExpression: "#n",
      ExpressionAttributeNames: { "#n": "n" },
      Limit: 1,
    });
    expect(page.Items).toEqual([{ n: 3 }]);
    expect((await table.query(pk, { Select: "COUNT" })).Count).toBe(6);
  });

  it("filters after reading", async () => {
    const pk = await fill();
    const page = await table.query(pk, {
      FilterExpression: "#n > :least",
      ExpressionAttributeNames: { "#n": "n" },
      ExpressionAttributeValues: { ":pk": pk, ":least": 3 },
    });
    expect([keys(page), page.ScannedCount]).toEqual([["T#10"], 6]);
  });

  it("finds items by the index `actor`, keys alone, within seconds", async () => {
    const pk = table.partition();
    const a = `actor#${randomUUID()}`;
    for (const sk of ["2", "1"]) await table.put({ pk, sk, a, as: `by#${sk}`, text: "not in the index" });
    await table.put({ pk, sk: "3", text: "not by this actor" });
    const found = async () => {
      const byActor = {
        IndexName: "actor",
        ConsistentRead: false,
        KeyConditionExpression: "a = :a",
        ExpressionAttributeValues: { ":a": a },
      };
      return (await table.query(pk, byActor)).Items;
    };
    await expect.poll(found).toEqual(["1", "2"].map((sk) => ({ pk, sk, a, as: `by#${sk}` })));
  });
});

describe("UpdateItem and DeleteItem", () => {
  it("counts up and returns the new value, from nothing too", async () => {
    const pk = table.partition();
    const next = async () => {
      const expression = { UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": 1 } };
      return (await table.update(pk, "#", { ...expression, ReturnValues: "UPDATED_NEW" })).Attributes;
    };
    const given = await Promise.all(Array.from({ length: 10 }, next));
    expect(given.map((one) => one?.n).sort((one, other) => one - other)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });

  it("sets, removes, and appends under a condition", async () => {
    const pk = table.partition();
    await table.put({ pk, sk: "a", v: 1, gone: true, list: ["x"], tags: new Set(["a"]) });
    const change = {
      UpdateExpression:
        "SET v = :new, made = if_not_exists(made, :new), #l = list_append(#l, :more) REMOVE gone ADD tags :t",
      ConditionExpression:
        "v = :old AND attribute_exists(gone) AND NOT contains(#l, :absent) AND size(#l) < :few",
      ExpressionAttributeNames: { "#l": "list" },
      ExpressionAttributeValues: {
        ...{ ":new": 2, ":old": 1, ":more": ["y"], ":t": new Set(["b"]) },
        ...{ ":absent": "z", ":few": 5 },
      },
    };
    await table.update(pk, "a", change);
    const changed = { pk, sk: "a", v: 2, made: 2, list: ["x", "y"], tags: new Set(["a", "b"]) };
    expect(await table.get(pk, "a")).toEqual(changed);
    await expect(table.update(pk, "a", change)).rejects.toMatchObject({
      name: "ConditionalCheckFailedException",
    });
    expect(await table.get(pk, "a")).toEqual(changed);
  });

  it("lets one of two racing conditional updates win", async () => {
    const pk = table.partition();
    await table.put({ pk, sk: "a", v: 0 });
    const race = Array.from({ length: 8 }, (_, index) =>
      table.update(pk, "a", {
        UpdateExpression: "SET v = v + :one, winner = :index",
        ConditionExpression: "v = :zero",
        ExpressionAttributeValues: { ":one": 1, ":zero": 0, ":index": index },
      }),
    );
    const outcomes = await Promise.allSettled(race);
    const winners = outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(await table.get(pk, "a")).toMatchObject({ v: 1, winner: winners[0] });
  });

  it("deletes under a condition and gives back what was there", async () => {
    const pk = table.partition();
    await table.put({ pk, sk: "a", v: 1 });
    const remove = (v: number) =>
      table.client.send(
        new DeleteCommand({
          TableName: table.TableName,
          Key: { pk, sk: "a" },
          ConditionExpression: "v = :v",
          ExpressionAttributeValues: { ":v": v },
          ReturnValues: "ALL_OLD",
        }),
      );
    await expect(remove(2)).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
    expect((await remove(1)).Attributes).toMatchObject({ v: 1 });
    expect(await table.get(pk, "a")).toBeUndefined();
  });
});

describe("BatchWriteItem and BatchGetItem", () => {
  it("write 25 and read 100 items in one request, absent ones left out", async () => {
    const pk = table.partition();
    const all = Array.from({ length: 50 }, (_, index) => ({ pk, sk: String(index), index }));
    for (const some of [all.slice(0, 25), all.slice(25)]) {
      const requests = some.map((Item) => ({ PutRequest: { Item } }));
      const written = await table.client.send(
        new BatchWriteCommand({ RequestItems: { [table.TableName]: requests } }),
      );
      expect(written.UnprocessedItems ?? {}).toEqual({});
    }
    const Keys = Array.from({ length: 100 }, (_, index) => ({ pk, sk: String(index) }));
    const request = { [table.TableName]: { Keys, ConsistentRead: true } };
    const found = (await table.client.send(new BatchGetCommand({ RequestItems: request }))).Responses?.[
      table.TableName
    ];
    expect(found?.sort((one, other) => one.index - other.index)).toEqual(all);
  });

  it("tell the units of a read for an absent key, too", async () => {
    const pk = table.partition();
    await table.put({ pk, sk: "a" });
    const Keys = ["a", "absent"].map((sk) => ({ pk, sk }));
    const read = new BatchGetCommand({
      RequestItems: { [table.TableName]: { Keys, ConsistentRead: true } },
      ReturnConsumedCapacity: "TOTAL",
    });
    expect((await table.client.send(read)).ConsumedCapacity?.[0]?.CapacityUnits).toBe(2);
  });

  it("delete", async () => {
    const pk = table.partition();
    await table.put({ pk, sk: "a" });
    const requests = ["a", "absent"].map((sk) => ({ DeleteRequest: { Key: { pk, sk } } }));
    await table.client.send(new BatchWriteCommand({ RequestItems: { [table.TableName]: requests } }));
    expect(await table.items(pk)).toEqual([]);
  });

  it("refuse more than 25 writes, 100 reads, or one key twice", async () => {
    const pk = table.partition();
    const key = (index: number) => ({ pk, sk: String(index) });
    const write = (keys: Item[]) => {
      const requests = keys.map((Item) => ({ PutRequest: { Item } }));
      return table.client.send(new BatchWriteCommand({ RequestItems: { [table.TableName]: requests } }));
    };
    const read = (Keys: Item[]) =>
      table.client.send(new BatchGetCommand({ RequestItems: { [table.TableName]: { Keys } } }));
    const many = (count: number) => Array.from({ length: count }, (_, index) => key(index));
    await expect(write(many(26))).rejects.toMatchObject({ name: "ValidationException" });
    await expect(write([key(1), key(1)])).rejects.toMatchObject({ name: "ValidationException" });
    await expect(read(many(101))).rejects.toMatchObject({ name: "ValidationException" });
    await expect(read([key(1), key(1)])).rejects.toMatchObject({ name: "ValidationException" });
  });
});
