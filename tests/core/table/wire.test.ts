import { Readable } from "node:stream";
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { tableClientOptions } from "#core/table";
import { plainAnswer, typedRequest } from "#core/table/messages";
import { openWire } from "#core/table/wire";

describe("items on the wire", () => {
  const plain = {
    text: 'é "quoted" \u2028 \ud83d\ude00',
    empty: "",
    whole: -12,
    fraction: 0.1,
    most: Number.MAX_SAFE_INTEGER,
    flag: true,
    nothing: null,
    bytes: Uint8Array.of(0, 255, 7),
    names: new Set(["a", "b"]),
    nested: { list: [{ deep: [[]] }, "x"], map: {} },
    Key: { Items: ["called like a member"] },
  };

  it("come back as they were, whatever member of a message carries them", () => {
    const members = {
      Item: plain,
      Keys: [plain],
      RequestItems: { Keys: [{ DeleteRequest: { Key: plain } }], Item: { Keys: [plain] } },
      TransactItems: [{ Put: { Item: plain } }],
    };
    const typed = typedRequest(members);
    expect(typed).toMatchObject({ Item: { whole: { N: "-12" }, Key: { M: { Items: { L: [{}] } } } } });
    expect(plainAnswer(typed)).toEqual(members);
  });

  it("leave out what is undefined", () => {
    const members = { Limit: undefined, Item: { a: undefined, b: { c: undefined } } };
    expect(JSON.stringify(typedRequest(members))).toBe('{"Item":{"b":{"M":{}}}}');
  });

  it("are told from tables that are called like members", () => {
    const answer = {
      Responses: { Keys: [{ pk: { S: "a" } }] },
      UnprocessedKeys: { Keys: { Keys: [{ pk: { S: "b" } }] } },
    };
    expect(plainAnswer(answer)).toEqual({
      Responses: { Keys: [{ pk: "a" }] },
      UnprocessedKeys: { Keys: { Keys: [{ pk: "b" }] } },
    });
  });

  it.each([
    ["whole numbers that lost digits", 2 ** 53],
    ["not a number", Number.NaN],
    ["a date", new Date(0)],
  ])("can't be %s", (_name, value) => {
    expect(() => typedRequest({ Item: { value } })).toThrow();
  });
});

/** The way through a client whose requests come to nothing but an answer. */
function wireAnswering(statusCode: number, text: string, onRequest: () => void = () => undefined) {
  const handle = async () => {
    onRequest();
    return { response: { statusCode, headers: {}, body: Readable.from([Buffer.from(text)]) } };
  };
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };
  const options = { ...tableClientOptions, region: "eu-central-1", credentials, requestHandler: { handle } };
  return openWire(new DynamoDBClient(options as unknown as DynamoDBClientConfig));
}

describe("a refused request", () => {
  it("fails with the name, the status and the reasons that DynamoDB gives", async () => {
    const text =
      '{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"no","CancellationReasons":[{"Code":"None"}]}';
    await expect(
      wireAnswering(400, text).send("TransactWriteItems", { TransactItems: [] }),
    ).rejects.toMatchObject({
      name: "TransactionCanceledException",
      $metadata: { httpStatusCode: 400 },
      CancellationReasons: [{ Code: "None" }],
    });
  });

  it("fails with the status of whatever stands in between", async () => {
    const members = { TableName: "forge", Key: { pk: "a", sk: "b" } };
    await expect(
      wireAnswering(502, "<html>bad gateway</html>").send("GetItem", members),
    ).rejects.toMatchObject({
      $metadata: { httpStatusCode: 502 },
    });
  });

  it("is sent once: the door tries again by itself", async () => {
    let requests = 0;
    const wire = wireAnswering(503, "{}", () => {
      requests += 1;
    });
    const members = { TableName: "forge", Key: { pk: "a", sk: "b" } };
    await expect(wire.send("GetItem", members)).rejects.toMatchObject({
      $metadata: { httpStatusCode: 503 },
    });
    expect(requests).toBe(1);
  });
});
