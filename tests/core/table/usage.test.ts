import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { absent } from "#core/table/condition";
import { put } from "#core/table/write";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";

let on: TestForge;
beforeAll(async () => {
  on = await makeForge();
});
afterAll(() => on.stop());

const key = (sk: number) => ({ pk: "P", sk: String(sk) });

describe("table, what is counted", () => {
  it("requests and consumed units of each operation", async () => {
    const { usage } = await measured(async () => {
      await on.forge.table.write(put({ ...key(1), text: "x".repeat(1500) }));
      await on.forge.table.get(key(1));
      await on.forge.table.get(key(1), { isConsistent: false });
      await on.forge.table.transact([put(key(2)), put(key(3))]);
      await on.forge.table.increment(key(4), "n");
      await on.forge.table.getAll([key(1), key(2), key(5)]);
      await on.forge.table.queryAll({ pk: "P" });
      await on.forge.table.removeAll([key(2), key(3)]);
      await on.forge.table.write(put(key(1), absent));
    });
    expect(usage).toEqual({
      tableRequests: 9,
      tableReadUnits: 1 + 0.5 + 3 + 1,
      tableWriteUnits: expect.any(Number),
      blobReads: 0,
      blobWrites: 0,
      blobBytesRead: 0,
      blobBytesWritten: 0,
      queueRequests: 0,
      operations: {
        "dynamodb:PutItem": 2,
        "dynamodb:GetItem": 2,
        "dynamodb:TransactWriteItems": 1,
        "dynamodb:UpdateItem": 1,
        "dynamodb:BatchGetItem": 1,
        "dynamodb:Query": 1,
        "dynamodb:BatchWriteItem": 1,
      },
    });
    expect(usage.tableWriteUnits).toBeGreaterThanOrEqual(2 + 4 + 1 + 2);
  });
});
