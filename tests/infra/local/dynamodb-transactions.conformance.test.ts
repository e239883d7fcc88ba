import { randomUUID } from "node:crypto";
import { TransactGetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Action, onlyIfAbsent, openTestTable, type TestTable } from "./test-table.ts";

// Runs against AWS too: see target.ts for the variables. Each test has a partition of its own, emptied at the end.

let table: TestTable;
beforeAll(async () => {
  table = await openTestTable();
});
afterAll(() => table.close());

describe("TransactWriteItems and TransactGetItems", () => {
  const putAction = (pk: string, sk: string, extra: object = {}) => ({
    Put: { TableName: table.TableName, Item: { pk, sk, ...extra } },
  });

  it("do all or nothing, across partitions", async () => {
    const [one, other] = [table.partition(), table.partition()];
    await table.put({ pk: one, sk: "changed", n: 1 });
    await table.put({ pk: one, sk: "removed" });
    await table.put({ pk: one, sk: "checked", state: "open" });
    const actions: Action[] = [
      putAction(other, "made"),
      {
        Update: {
          TableName: table.TableName,
          Key: { pk: one, sk: "changed" },
          UpdateExpression: "ADD n :one",
          ExpressionAttributeValues: { ":one": 1 },
        },
      },
      {
        Delete: {
          TableName: table.TableName,
          Key: { pk: one, sk: "removed" },
          ConditionExpression: "attribute_exists(pk)",
        },
      },
      {
        ConditionCheck: {
          TableName: table.TableName,
          Key: { pk: one, sk: "checked" },
          ConditionExpression: "#s = :open",
          ExpressionAttributeNames: { "#s": "state" },
          ExpressionAttributeValues: { ":open": "open" },
        },
      },
    ];
    await table.transact(actions);
    const keys = [
      { pk: one, sk: "changed" },
      { pk: other, sk: "made" },
      { pk: one, sk: "removed" },
    ];
    const TransactItems = keys.map((Key) => ({ Get: { TableName: table.TableName, Key } }));
    const { Responses } = await table.client.send(new TransactGetCommand({ TransactItems }));
    expect(Responses?.map(({ Item }) => Item)).toEqual([{ ...keys[0], n: 2 }, keys[1], undefined]);
    await expect(table.transact(actions)).rejects.toMatchObject({ name: "TransactionCanceledException" });
    expect(await table.get(one, "changed")).toMatchObject({ n: 2 });
  });

  it("TransactionCanceledException: give the reasons in the order of the actions, with the items that stood in the way", async () => {
    const pk = table.partition();
    await table.put({ pk, sk: "there", v: 7 });
    const guarded = (sk: string) => ({
      Put: {
        TableName: table.TableName,
        Item: { pk, sk },
        ...onlyIfAbsent,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      },
    });
    const refused = table.transact([guarded("first"), guarded("there"), guarded("last")]);
    await expect(refused).rejects.toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [
        { Code: "None" },
        { Code: "ConditionalCheckFailed", Item: { v: { N: "7" } } },
        { Code: "None" },
      ],
    });
    expect(await table.items(pk)).toEqual([{ pk, sk: "there", v: 7 }]);
  });

  it("do a request with the same token once, and refuse the token for another request", async () => {
    const pk = table.partition();
    const count = (by: number): Action => ({
      Update: {
        TableName: table.TableName,
        Key: { pk, sk: "#" },
        UpdateExpression: "ADD n :by",
        ExpressionAttributeValues: { ":by": by },
      },
    });
    const ClientRequestToken = randomUUID();
    await table.transact([count(1)], { ClientRequestToken });
    await table.transact([count(1)], { ClientRequestToken });
    expect(await table.get(pk, "#")).toMatchObject({ n: 1 });
    const other = table.transact([count(2)], { ClientRequestToken });
    await expect(other).rejects.toMatchObject({ name: "IdempotentParameterMismatchException" });
    await table.transact([count(1)], { ClientRequestToken: randomUUID() });
    expect(await table.get(pk, "#")).toMatchObject({ n: 2 });
  });

  it("tell the units of all that they write, twice each", async () => {
    const pk = table.partition();
    const actions = [putAction(pk, "a"), putAction(pk, "b", { text: "x".repeat(1500) })];
    const written = await table.transact(actions, { ReturnConsumedCapacity: "TOTAL" });
    expect(written.ConsumedCapacity?.[0]?.CapacityUnits).toBe(2 * (1 + 2));
  });

  it("take 100 actions, and refuse 101 or one item twice", async () => {
    const pk = table.partition();
    const actions = (count: number) =>
      Array.from({ length: count }, (_, index) => putAction(pk, String(index)));
    await table.transact(actions(100));
    expect(await table.items(pk)).toHaveLength(100);
    await expect(table.transact(actions(101))).rejects.toMatchObject({ name: "ValidationException" });
    const twice = table.transact([putAction(pk, "a"), putAction(pk, "a")]);
    await expect(twice).rejects.toMatchObject({ name: "ValidationException" });
  });
});
