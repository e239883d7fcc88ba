import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { itemText, plainItem } from "#core/table/attribute-values";
import { createSigner } from "#core/table/signature";
import { openWire } from "#core/table/wire";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };

describe("items on the wire", () => {
  const values = {
    text: 'é "quoted" \u2028 \ud83d\ude00',
    empty: "",
    whole: -12,
    fraction: 0.1,
    small: 1e-7,
    most: Number.MAX_SAFE_INTEGER,
    flags: [true, false],
    nothing: null,
    bytes: Uint8Array.of(0, 255, 7),
    noBytes: new Uint8Array(),
    names: new Set(["a", "b"]),
    numbers: new Set([1, 2.5]),
    blobs: new Set([Uint8Array.of(1)]),
    nested: { list: [{ deep: [[]] }, "x"], map: {} },
  };

  const typed = {
    text: { S: 'é "quoted" \u2028 \ud83d\ude00' },
    empty: { S: "" },
    whole: { N: "-12" },
    fraction: { N: "0.1" },
    small: { N: "1e-7" },
    most: { N: "9007199254740991" },
    flags: { L: [{ BOOL: true }, { BOOL: false }] },
    nothing: { NULL: true },
    bytes: { B: "AP8H" },
    noBytes: { B: "" },
    names: { SS: ["a", "b"] },
    numbers: { NS: ["1", "2.5"] },
    blobs: { BS: ["AQ=="] },
    nested: { M: { list: { L: [{ M: { deep: { L: [{ L: [] }] } } }, { S: "x" }] }, map: { M: {} } } },
  };

  it("are written with their types, and read back the same", () => {
    expect(JSON.parse(itemText(values))).toEqual(typed);
    expect(plainItem(structuredClone(typed))).toEqual(values);
  });

  it("leave out what is undefined", () => {
    expect(itemText({ a: undefined, b: { c: undefined }, d: [undefined, 1] })).toBe(
      '{"b":{"M":{}},"d":{"L":[{"N":"1"}]}}',
    );
  });

  it("keep attributes that are called like parts of the language", () => {
    const item = JSON.parse('{"__proto__": 1, "constructor": "x", "m": {"__proto__": [true]}}');
    const read = plainItem(JSON.parse(itemText(item)));
    expect(JSON.stringify(read)).toBe(JSON.stringify(item));
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each([
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["whole numbers that lost digits", 2 ** 53],
    ["an empty set", new Set()],
    ["a set of flags", new Set([true])],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["a function", () => 1],
  ])("refuse %s", (_name, value) => {
    expect(() => itemText({ value })).toThrow(TypeError);
  });
});

/** The SDK's own signer, as far as it is used here. */
interface SdkSigner {
  sign(request: object, options: { signingDate: Date }): Promise<{ headers: Record<string, string> }>;
}

describe("the signature of a request", () => {
  it.each([
    ["with keys of a user", credentials, "/"],
    [
      "with keys of a role",
      { ...credentials, sessionToken: "AQoDYXdzEPT//////////wEXAMPLEtc764/bNrC9SAPBSM=" },
      "/",
    ],
    ["behind a path", credentials, "/of a/proxy/"],
  ])("is the SDK's, %s", async (_name, keys, path) => {
    const at = new Date("2026-03-01T23:59:59.900Z");
    const body = '{"text":"é"}';
    const headers = {
      host: "dynamodb.eu-central-1.amazonaws.com",
      "x-amz-content-sha256": createHash("sha256").update(body).digest("hex"),
      "x-amz-target": "T.Get",
    };
    const scope = { region: "eu-central-1", service: "dynamodb" };
    const scheme = { name: "sigv4", signingName: scope.service, signingRegion: scope.region, properties: {} };
    const { config } = new DynamoDBClient({ region: scope.region, credentials: keys });
    const signer = (await config.signer(scheme)) as unknown as SdkSigner;
    const request = {
      method: "POST",
      protocol: "https:",
      hostname: headers.host,
      path,
      query: {},
      headers,
      body,
    };
    const { headers: theirs } = await signer.sign(request, { signingDate: at });
    const sign = createSigner();
    expect(sign({ path, headers, body }, { credentials: keys, ...scope }, at)).toEqual(theirs);
    expect(sign({ path, headers, body }, { credentials: keys, ...scope }, at)).toEqual(theirs);
  });

  it("is made with the keys of the day and of who asks", () => {
    const sign = createSigner();
    const request = { path: "/", headers: { host: "h" }, body: "{}" };
    const signature = (from: typeof sign, day: string, secretAccessKey: string) =>
      from(
        request,
        { credentials: { ...credentials, secretAccessKey }, region: "r", service: "dynamodb" },
        new Date(day),
      ).authorization;
    for (const [day, secret] of [
      ["2026-01-01", "a"],
      ["2026-01-02", "a"],
      ["2026-01-02", "b"],
    ] as const) {
      expect(signature(sign, day, secret)).toBe(signature(createSigner(), day, secret));
    }
  });
});

/** A client whose requests come to nothing but an answer. */
function clientAnswering(statusCode: number, text: string, settings: object = {}) {
  const asked: { protocol: string; hostname: string; port?: number; path: string; body: string }[] = [];
  const requestHandler = {
    handle: async (request: (typeof asked)[number]) => {
      asked.push(request);
      return { response: { statusCode, headers: {}, body: Readable.from([Buffer.from(text)]) } };
    },
  };
  const options = { region: "eu-central-1", credentials, requestHandler, ...settings };
  const client = new DynamoDBClient(options as unknown as DynamoDBClientConfig);
  return { client, asked };
}

describe("a request on the wire", () => {
  it.each([
    [
      "the region's endpoint",
      {},
      { protocol: "https:", hostname: "dynamodb.eu-central-1.amazonaws.com", path: "/" },
    ],
    [
      "the account's endpoint",
      { credentials: { ...credentials, accountId: "123456789012" } },
      { hostname: "123456789012.ddb.eu-central-1.amazonaws.com" },
    ],
    [
      "an endpoint of one's own",
      { endpoint: "http://127.0.0.2:8000/tables" },
      { protocol: "http:", hostname: "127.0.0.2", port: 8000, path: "/tables/" },
    ],
  ])("goes to %s", async (_name, settings, place) => {
    const { client, asked } = clientAnswering(200, "{}", settings);
    await openWire(client, "forge").send("GetItem", { TableName: "forge", Key: { pk: "a", sk: "b" } });
    expect(asked).toMatchObject([
      { ...place, body: '{"TableName":"forge","Key":{"pk":{"S":"a"},"sk":{"S":"b"}}}' },
    ]);
  });

  it("fails with the name, the status and the reasons that DynamoDB gives", async () => {
    const text =
      '{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"no","CancellationReasons":[{"Code":"None"}]}';
    const { client } = clientAnswering(400, text);
    await expect(openWire(client, "forge").send("TransactWriteItems", {})).rejects.toMatchObject({
      name: "TransactionCanceledException",
      message: "no",
      $metadata: { httpStatusCode: 400 },
      CancellationReasons: [{ Code: "None" }],
    });
  });

  it("fails with the status of whatever stands in between", async () => {
    const { client } = clientAnswering(502, "<html>bad gateway</html>");
    await expect(openWire(client, "forge").send("GetItem", {})).rejects.toMatchObject({
      $metadata: { httpStatusCode: 502 },
    });
  });

  it("keeps the names of tables apart from those of members", async () => {
    const answer = {
      Responses: { Keys: [{ pk: { S: "a" } }] },
      UnprocessedKeys: { Keys: { Keys: [{ pk: { S: "b" } }] } },
    };
    const { client, asked } = clientAnswering(200, JSON.stringify(answer));
    const members = { RequestItems: { Keys: { Keys: [{ pk: "a" }], ConsistentRead: true } } };
    expect(await openWire(client, "Keys").send("BatchGetItem", members)).toEqual({
      Responses: { Keys: [{ pk: "a" }] },
      UnprocessedKeys: { Keys: { Keys: [{ pk: "b" }] } },
    });
    expect(asked[0]?.body).toBe(
      '{"RequestItems":{"Keys":{"Keys":[{"pk":{"S":"a"}}],"ConsistentRead":true}}}',
    );
  });
});
