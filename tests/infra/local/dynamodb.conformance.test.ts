import { randomUUID } from "node:crypto";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ConformanceTarget, connectTarget } from "./target.ts";

// Runs against AWS too: see target.ts for the variables. Each test has a partition of its own, emptied at the end.

let target: ConformanceTarget;
let client: DynamoDBDocumentClient;
const partitions: string[] = [];
type Item = Record<string, unknown>;

beforeAll(async () => {
  target = await connectTarget();
  client = DynamoDBDocumentClient.from(target.dynamodb, { marshallOptions: { removeUndefinedValues: true } });
});
afterAll(async () => {
  for (const pk of partitions) {
    for (const { sk } of await items(pk))
      await client.send(new DeleteCommand({ ...table(), Key: { pk, sk } }));
  }
  await target.stop();
});

const table = () => ({ TableName: target.table });
const partition = () => {
  const pk = `conformance#${randomUUID()}`;
  partitions.push(pk);
  return pk;
};
const put = (item: Item, options: object = {}) =>
  client.send(new PutCommand({ ...table(), Item: item, ...options }));
const get = async (pk: string, sk: string): Promise<Item | undefined> =>
  (await client.send(new GetCommand({ ...table(), Key: { pk, sk }, ConsistentRead: true }))).Item;
const query = (pk: string, options: Partial<QueryCommandInput> = {}) =>
  client.send(
    new QueryCommand({
      ...table(),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
      ...options,
    }),
  );
const items = async (pk: string): Promise<Item[]> => (await query(pk)).Items ?? [];
const update = (pk: string, sk: string, options: object) =>
  client.send(new UpdateCommand({ ...table(), Key: { pk, sk }, ...options }));
type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
const transact = (actions: Action[], options: object = {}) =>
  client.send(new TransactWriteCommand({ TransactItems: actions, ...options }));
const onlyIfAbsent = { ConditionExpression: "attribute_not_exists(pk)" };

describe("PutItem and GetItem", () => {
  it("give back every kind of attribute", async () => {
    const pk = partition();
    const item = {
      ...{ pk, sk: "a", text: "ü\u{1f600}", empty: "", number: 12.5, large: 2 ** 53 - 1, negative: -1 },
      ...{ yes: true, nothing: null, bytes: new Uint8Array([0, 255]), list: [1, "a", { deep: [] }] },
      ...{ map: { "odd key.": 1 }, texts: new Set(["a", "b"]), numbers: new Set([1, 2]) },
    };
    await put(item);
    expect(await get(pk, "a")).toEqual(item);
  });

  it("find nothing under an absent key", async () => {
    expect(await get(partition(), "absent")).toBeUndefined();
  });

  it("ConditionalCheckFailedException: refuse a put whose condition fails, and show the item that was there", async () => {
    const pk = partition();
    await put({ pk, sk: "a", v: 1 }, onlyIfAbsent);
    const second = put(
      { pk, sk: "a", v: 2 },
      { ...onlyIfAbsent, ReturnValuesOnConditionCheckFailure: "ALL_OLD" },
    );
    await expect(second).rejects.toMatchObject({
      name: "ConditionalCheckFailedException",
      Item: { v: { N: "1" } },
    });
    expect(await get(pk, "a")).toMatchObject({ v: 1 });
  });

  it("refuse an item over 400 KB", async () => {
    const oversize = put({ pk: partition(), sk: "a", text: "x".repeat(410 * 1024) });
    await expect(oversize).rejects.toMatchObject({ name: "ValidationException" });
  });

  it("tell the capacity used", async () => {
    const written = await put(
      { pk: partition(), sk: "a", text: "x".repeat(1500) },
      { ReturnConsumedCapacity: "TOTAL" },
    );
    expect(written.ConsumedCapacity?.CapacityUnits).toBe(2);
  });
});

describe("Query", () => {
  const fill = async () => {
    const pk = partition();
    for (const sk of ["T#10", "T#2", "C#1", "C#2", "C#3", "Z"]) await put({ pk, sk, n: sk.length });
    return pk;
  };
  const keys = (found: { Items?: Item[] | undefined }) => found.Items?.map(({ sk }) => sk);

  it("gives a partition in the order of the sort keys' bytes, either way", async () => {
    const pk = await fill();
    const ordered = ["C#1", "C#2", "C#3", "T#10", "T#2", "Z"];
    expect(keys(await query(pk))).toEqual(ordered);
    expect(keys(await query(pk, { ScanIndexForward: false }))).toEqual(ordered.reverse());
  });

  it("narrows by prefix and by range", async () => {
    const pk = await fill();
    const prefix = await query(pk, {
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": pk, ":prefix": "C#" },
    });
    expect(keys(prefix)).toEqual(["C#1", "C#2", "C#3"]);
    const range = await query(pk, {
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
      const page = await query(pk, { Limit: 4, ExclusiveStartKey });
      found.push(...(keys(page) ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    expect(found).toEqual(["C#1", "C#2", "C#3", "T#10", "T#2", "Z"]);
  });

  it("gives the attributes asked for and counts", async () => {
    const pk = await fill();
    const page = await query(pk, {
      ProjectionExpression: "#n",
      ExpressionAttributeNames: { "#n": "n" },
      Limit: 1,
    });
    expect(page.Items).toEqual([{ n: 3 }]);
    expect((await query(pk, { Select: "COUNT" })).Count).toBe(6);
  });

  it("filters after reading", async () => {
    const pk = await fill();
    const page = await query(pk, {
      FilterExpression: "#n > :least",
      ExpressionAttributeNames: { "#n": "n" },
      ExpressionAttributeValues: { ":pk": pk, ":least": 3 },
    });
    expect([keys(page), page.ScannedCount]).toEqual([["T#10"], 6]);
  });

  it("finds items by the index `actor`, keys alone, within seconds", async () => {
    const pk = partition();
    const a = `actor#${randomUUID()}`;
    for (const sk of ["2", "1"]) await put({ pk, sk, a, as: `by#${sk}`, text: "not in the index" });
    await put({ pk, sk: "3", text: "not by this actor" });
    await vi.waitFor(
      async () => {
        const found = await query(pk, {
          IndexName: "actor",
          ConsistentRead: false,
          KeyConditionExpression: "a = :a",
          ExpressionAttributeValues: { ":a": a },
        });
        expect(found.Items).toEqual(["1", "2"].map((sk) => ({ pk, sk, a, as: `by#${sk}` })));
      },
      { timeout: 10_000, interval: 100 },
    );
  });
});

describe("UpdateItem and DeleteItem", () => {
  it("counts up and returns the new value, from nothing too", async () => {
    const pk = partition();
    const next = async () => {
      const expression = { UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": 1 } };
      return (await update(pk, "#", { ...expression, ReturnValues: "UPDATED_NEW" })).Attributes;
    };
    const given = await Promise.all(Array.from({ length: 10 }, next));
    expect(given.map((one) => one?.n).sort((one, other) => one - other)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });

  it("sets, removes, and appends under a condition", async () => {
    const pk = partition();
    await put({ pk, sk: "a", v: 1, gone: true, list: ["x"], tags: new Set(["a"]) });
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
    await update(pk, "a", change);
    const changed = { pk, sk: "a", v: 2, made: 2, list: ["x", "y"], tags: new Set(["a", "b"]) };
    expect(await get(pk, "a")).toEqual(changed);
    await expect(update(pk, "a", change)).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
    expect(await get(pk, "a")).toEqual(changed);
  });

  it("lets one of two racing conditional updates win", async () => {
    const pk = partition();
    await put({ pk, sk: "a", v: 0 });
    const race = Array.from({ length: 8 }, (_, index) =>
      update(pk, "a", {
        UpdateExpression: "SET v = v + :one, winner = :index",
        ConditionExpression: "v = :zero",
        ExpressionAttributeValues: { ":one": 1, ":zero": 0, ":index": index },
      }),
    );
    const outcomes = await Promise.allSettled(race);
    const winners = outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(await get(pk, "a")).toMatchObject({ v: 1, winner: winners[0] });
  });

  it("deletes under a condition and gives back what was there", async () => {
    const pk = partition();
    await put({ pk, sk: "a", v: 1 });
    const remove = (v: number) =>
      client.send(
        new DeleteCommand({
          ...table(),
          Key: { pk, sk: "a" },
          ConditionExpression: "v = :v",
          ExpressionAttributeValues: { ":v": v },
          ReturnValues: "ALL_OLD",
        }),
      );
    await expect(remove(2)).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
    expect((await remove(1)).Attributes).toMatchObject({ v: 1 });
    expect(await get(pk, "a")).toBeUndefined();
  });
});

describe("BatchWriteItem and BatchGetItem", () => {
  it("write 25 and read 100 items in one request, absent ones left out", async () => {
    const pk = partition();
    const all = Array.from({ length: 50 }, (_, index) => ({ pk, sk: String(index), index }));
    for (const some of [all.slice(0, 25), all.slice(25)]) {
      const requests = some.map((Item) => ({ PutRequest: { Item } }));
      const written = await client.send(
        new BatchWriteCommand({ RequestItems: { [target.table]: requests } }),
      );
      expect(written.UnprocessedItems ?? {}).toEqual({});
    }
    const Keys = Array.from({ length: 100 }, (_, index) => ({ pk, sk: String(index) }));
    const request = { [target.table]: { Keys, ConsistentRead: true } };
    const found = (await client.send(new BatchGetCommand({ RequestItems: request }))).Responses?.[
      target.table
    ];
    expect(found?.sort((one, other) => one.index - other.index)).toEqual(all);
  });

  it("delete", async () => {
    const pk = partition();
    await put({ pk, sk: "a" });
    const requests = ["a", "absent"].map((sk) => ({ DeleteRequest: { Key: { pk, sk } } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [target.table]: requests } }));
    expect(await items(pk)).toEqual([]);
  });

  it("refuse more than 25 writes, 100 reads, or one key twice", async () => {
    const pk = partition();
    const key = (index: number) => ({ pk, sk: String(index) });
    const write = (keys: Item[]) => {
      const requests = keys.map((Item) => ({ PutRequest: { Item } }));
      return client.send(new BatchWriteCommand({ RequestItems: { [target.table]: requests } }));
    };
    const read = (Keys: Item[]) =>
      client.send(new BatchGetCommand({ RequestItems: { [target.table]: { Keys } } }));
    const many = (count: number) => Array.from({ length: count }, (_, index) => key(index));
    await expect(write(many(26))).rejects.toMatchObject({ name: "ValidationException" });
    await expect(write([key(1), key(1)])).rejects.toMatchObject({ name: "ValidationException" });
    await expect(read(many(101))).rejects.toMatchObject({ name: "ValidationException" });
    await expect(read([key(1), key(1)])).rejects.toMatchObject({ name: "ValidationException" });
  });
});

describe("TransactWriteItems and TransactGetItems", () => {
  const putAction = (pk: string, sk: string, extra: object = {}) => ({
    Put: { ...table(), Item: { pk, sk, ...extra } },
  });

  it("do all or nothing, across partitions", async () => {
    const [one, other] = [partition(), partition()];
    await put({ pk: one, sk: "changed", n: 1 });
    await put({ pk: one, sk: "removed" });
    await put({ pk: one, sk: "checked", state: "open" });
    const actions: Action[] = [
      putAction(other, "made"),
      {
        Update: {
          ...table(),
          Key: { pk: one, sk: "changed" },
          UpdateExpression: "ADD n :one",
          ExpressionAttributeValues: { ":one": 1 },
        },
      },
      {
        Delete: { ...table(), Key: { pk: one, sk: "removed" }, ConditionExpression: "attribute_exists(pk)" },
      },
      {
        ConditionCheck: {
          ...table(),
          Key: { pk: one, sk: "checked" },
          ConditionExpression: "#s = :open",
          ExpressionAttributeNames: { "#s": "state" },
          ExpressionAttributeValues: { ":open": "open" },
        },
      },
    ];
    await transact(actions);
    const keys = [
      { pk: one, sk: "changed" },
      { pk: other, sk: "made" },
      { pk: one, sk: "removed" },
    ];
    const TransactItems = keys.map((Key) => ({ Get: { ...table(), Key } }));
    const { Responses } = await client.send(new TransactGetCommand({ TransactItems }));
    expect(Responses?.map(({ Item }) => Item)).toEqual([{ ...keys[0], n: 2 }, keys[1], undefined]);
    await expect(transact(actions)).rejects.toMatchObject({ name: "TransactionCanceledException" });
    expect(await get(one, "changed")).toMatchObject({ n: 2 });
  });

  it("TransactionCanceledException: give the reasons in the order of the actions, with the items that stood in the way", async () => {
    const pk = partition();
    await put({ pk, sk: "there", v: 7 });
    const guarded = (sk: string) => ({
      Put: {
        ...table(),
        Item: { pk, sk },
        ...onlyIfAbsent,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      },
    });
    const refused = transact([guarded("first"), guarded("there"), guarded("last")]);
    await expect(refused).rejects.toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [
        { Code: "None" },
        { Code: "ConditionalCheckFailed", Item: { v: { N: "7" } } },
        { Code: "None" },
      ],
    });
    expect(await items(pk)).toEqual([{ pk, sk: "there", v: 7 }]);
  });

  it("do a request with the same token once, and refuse the token for another request", async () => {
    const pk = partition();
    const count = (by: number): Action => ({
      Update: {
        ...table(),
        Key: { pk, sk: "#" },
        UpdateExpression: "ADD n :by",
        ExpressionAttributeValues: { ":by": by },
      },
    });
    const ClientRequestToken = randomUUID();
    await transact([count(1)], { ClientRequestToken });
    await transact([count(1)], { ClientRequestToken });
    expect(await get(pk, "#")).toMatchObject({ n: 1 });
    const other = transact([count(2)], { ClientRequestToken });
    await expect(other).rejects.toMatchObject({ name: "IdempotentParameterMismatchException" });
    await transact([count(1)], { ClientRequestToken: randomUUID() });
    expect(await get(pk, "#")).toMatchObject({ n: 2 });
  });

  it("take 100 actions, and refuse 101 or one item twice", async () => {
    const pk = partition();
    const actions = (count: number) =>
      Array.from({ length: count }, (_, index) => putAction(pk, String(index)));
    await transact(actions(100));
    expect(await items(pk)).toHaveLength(100);
    await expect(transact(actions(101))).rejects.toMatchObject({ name: "ValidationException" });
    const twice = transact([putAction(pk, "a"), putAction(pk, "a")]);
    await expect(twice).rejects.toMatchObject({ name: "ValidationException" });
  });
});
