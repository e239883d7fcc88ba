import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, it, onTestFinished } from "vitest";
import { ensureTable } from "#infra/local/dynamodb";
import { startStandIns } from "#tests/support/stand-ins/stand-ins";
import { declaredShape } from "./declared-shape.ts";
import type { DeployedShape } from "./deployed-shape.ts";
import { describeDeployedShape, testSecrets } from "./shape-promises.ts";

let ofTest: Promise<DeployedShape> | undefined;
const shapeOfTest = () => {
  ofTest ??= declaredShape("test", testSecrets);
  return ofTest;
};

describeDeployedShape("sst.config.ts as declared", (stage, settings) =>
  stage === "test" && settings === undefined ? shapeOfTest() : declaredShape(stage, testSecrets, settings),
);

it.each([
  ["the deploy", "GIT_RESERVED_CONCURRENCY"],
  ["the service", "MIN_PASSWORD_LENGTH"],
])("sst.config.ts refuses a malformed setting of %s, naming it", async (_of, name) => {
  const declared = declaredShape("test", testSecrets, { [name]: "some" });
  await expect(declared).rejects.toThrow(new RegExp(`^setting ${name}: expected a whole number`));
});

it("sst.config.ts refuses a secret key that is none, without showing it", async () => {
  const declared = declaredShape("test", { ...testSecrets, SecretKey: "hunter2" });
  await expect(declared).rejects.toThrow(/^the secret SecretKey: expected 32 bytes in base64(?!.*hunter2)/);
});

it("sst.config.ts declares the table that one machine makes for itself", async () => {
  const standIns = await startStandIns();
  onTestFinished(() => standIns.stop());
  const { dynamodbEndpoint, region, credentials } = standIns;
  const client = new DynamoDBClient({ endpoint: dynamodbEndpoint, region, credentials });
  onTestFinished(() => client.destroy());
  await ensureTable(client, "local");
  const { Table } = await client.send(new DescribeTableCommand({ TableName: "local" }));
  const { table } = await shapeOfTest();
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: "HASH" },
    { AttributeName: range, KeyType: "RANGE" },
  ];
  expect(Table?.KeySchema).toEqual(keys(table.hashKey, table.rangeKey));
  expect(Table?.GlobalSecondaryIndexes).toMatchObject(
    table.indexes.map(({ name, hashKey, rangeKey, projection }) => ({
      IndexName: name,
      KeySchema: keys(hashKey, rangeKey),
      Projection: { ProjectionType: projection },
    })),
  );
  const attributes = (Table?.AttributeDefinitions ?? []).map((one) => [one.AttributeName, one.AttributeType]);
  expect(Object.fromEntries(attributes)).toEqual(table.attributes);
});
