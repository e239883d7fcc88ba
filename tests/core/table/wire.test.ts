import { Readable } from "node:stream";
import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tableClientOptions } from "#core/aws/internal/client-options";
import { answerFrom, plainAnswer, requestText, typedRequest } from "#core/table/internal/messages";
import { writeFailure } from "#core/table/internal/retry";
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
    expect(JSON.parse(requestText(members))).toEqual(JSON.parse(JSON.stringify(typed, inBase64)));
  });

  it("are read from the text of an answer as the SDK reads them", () => {
    const members = {
      Item: plain,
      Items: [plain],
      Attributes: plain,
      LastEvaluatedKey: plain,
      Responses: { Keys: [plain] },
      UnprocessedKeys: { Item: { Keys: [plain] } },
      UnprocessedItems: { Items: [{ DeleteRequest: { Key: plain } }] },
    };
    expect(answerFrom(requestText({ ...members, Responses: undefined }))).toEqual({
      ...members,
      Responses: undefined,
    });
    expect(answerFrom(`{"Responses":{"Keys":[${requestText({ Item: plain }).slice(8, -1)}]}}`)).toEqual({
      Responses: { Keys: [plain] },
    });
  });

  it("leave out what is undefined", () => {
    const members = { Limit: undefined, Item: { a: undefined, b: { c: undefined }, l: [undefined, 1] } };
    const text = '{"Item":{"b":{"M":{}},"l":{"L":[{"N":"1"}]}}}';
    expect(JSON.stringify(typedRequest(members))).toBe(text);
    expect(requestText(members)).toBe(text);
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
    expect(() => requestText({ Item: { value } })).toThrow(TypeError);
  });
});

/** For JSON.stringify: bytes as DynamoDB's JSON carries them. */
const inBase64 = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface Said {
  readonly statusCode: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const textOf = (sent: Sent | undefined) => new TextDecoder().decode(sent?.body);

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };

/** The way through a client whose requests get only these answers, the last one again and again. */
function wireAnswering(answers: readonly Said[], options: DynamoDBClientConfig = {}, repeats = true) {
  const sent: Sent[] = [];
  const handle = async (request: Sent) => {
    const { statusCode, text, headers = {} } = answers[Math.min(sent.length, answers.length - 1)] as Said;
    sent.push(request);
    return { response: { statusCode, headers, body: Readable.from([Buffer.from(text)]) } };
  };
  const made = { ...tableClientOptions, region: "eu-central-1", credentials: keys, ...options };
  const client = new DynamoDBClient({
    ...made,
    requestHandler: { handle },
  } as unknown as DynamoDBClientConfig);
  return { wire: openWire(client, repeats), sent, toSdk: vi.spyOn(client, "send") };
}

const members = { TableName: "forge", Key: { pk: "a", sk: "b" } };
const found: Said = { statusCode: 200, text: '{"Item":{"pk":{"S":"a"},"sk":{"S":"b"},"n":{"N":"7"}}}' };
const item = { Item: { pk: "a", sk: "b", n: 7 } };

/** A refusal ends the first request, or one that is like an earlier one. */
describe.each([
  ["a first request", []],
  ["a request like one before", [found]],
] as const)("%s that is refused", (_which, before) => {
  async function refused(answer: Said) {
    const { wire, sent } = wireAnswering([...before, answer]);
    for (const _one of before) expect(await wire.send("GetItem", members)).toMatchObject(item);
    const failure = await wire.send("GetItem", members).catch((error: unknown) => error);
    return { failure, requests: sent.length - before.length };
  }

  it("fails with the name, the status and the reasons that DynamoDB gives", async () => {
    const text =
      '{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"no","CancellationReasons":[{"Code":"None"}]}';
    const { failure } = await refused({ statusCode: 400, text });
    expect(failure).toBeInstanceOf(TransactionCanceledException);
    expect(failure).toMatchObject({
      name: "TransactionCanceledException",
      $metadata: { httpStatusCode: 400 },
      CancellationReasons: [{ Code: "None" }],
    });
  });

  it("fails with the status of whatever stands in between", async () => {
    const { failure } = await refused({ statusCode: 502, text: "<html>bad gateway</html>" });
    expect(failure).toMatchObject({ $metadata: { httpStatusCode: 502 } });
  });

  it("is sent once: the table tries again by itself", async () => {
    const { failure, requests } = await refused({ statusCode: 503, text: "{}" });
    expect(failure).toMatchObject({ $metadata: { httpStatusCode: 503 } });
    expect(requests).toBe(1);
  });

  it("for the clock of this machine is worth another try, with that of DynamoDB", async () => {
    const text = '{"__type":"com.amazon.coral.service#InvalidSignatureException","message":"expired"}';
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 1, 3, 4, 5, 6) });
    const date = "Tue, 03 Feb 2026 05:05:06 GMT";
    const late = { statusCode: 400, text, headers: { date } };
    const { wire, sent } = wireAnswering([...before, late, found]);
    for (const _one of before) await wire.send("GetItem", members);
    const failure = await wire.send("GetItem", members).catch((error: unknown) => error);
    expect(writeFailure(failure)).toBe("passing");
    await wire.send("GetItem", members);
    expect(sent.at(-1)?.headers["x-amz-date"]).toBe("20260203T050506Z");
  });
});

describe("a request like one before", () => {
  it("is the one that the SDK would make, its signature included", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 1, 3, 4, 5, 6) });
    const { wire, sent, toSdk } = wireAnswering([found]);
    for (let count = 0; count < 3; count += 1)
      expect(await wire.send("GetItem", members)).toMatchObject(item);
    const [first, ...others] = sent.map((one) => ({ ...one, body: textOf(one) }));
    expect(first?.headers.authorization).toContain("Credential=AKIDEXAMPLE/20260203/eu-central-1/dynamodb/");
    expect(others).toEqual([first, first]);
    expect(toSdk).toHaveBeenCalledTimes(1);
  });

  it("carries what it asks for, and the time and signature of its own", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 1, 3, 4, 5, 6) });
    const { wire, sent } = wireAnswering([found]);
    await wire.send("GetItem", members);
    vi.setSystemTime(Date.UTC(2026, 1, 3, 4, 6, 6));
    await wire.send("GetItem", { TableName: "forge", Key: { pk: "other", sk: "é" } });
    const [first, second] = sent;
    const body = textOf(second);
    expect(JSON.parse(body)).toEqual({ TableName: "forge", Key: { pk: { S: "other" }, sk: { S: "é" } } });
    expect(second?.headers["content-length"]).toBe(String(Buffer.byteLength(body)));
    expect(second?.headers["x-amz-date"]).toBe("20260203T040606Z");
    expect(second?.headers.authorization).not.toBe(first?.headers.authorization);
  });

  it("is signed with the credentials that are valid by then", async () => {
    let given = 0;
    const credentials = async () => {
      given += 1;
      return { ...keys, sessionToken: `session-${given}`, expiration: new Date(Date.now() + 1_000) };
    };
    const { wire, sent } = wireAnswering([found], { credentials });
    for (let count = 0; count < 2; count += 1) await wire.send("GetItem", members);
    const [first, second] = sent.map(({ headers }) => headers["x-amz-security-token"]);
    expect(first).toMatch(/^session-\d+$/);
    expect(second).not.toBe(first);
  });

  it("goes through all of the SDK where repeating is switched off", async () => {
    const { wire, toSdk } = wireAnswering([found], {}, false);
    for (let count = 0; count < 3; count += 1)
      expect(await wire.send("GetItem", members)).toMatchObject(item);
    expect(toSdk).toHaveBeenCalledTimes(3);
  });

  it("carries the trace of its own invocation", async () => {
    vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "api");
    const { wire, sent } = wireAnswering([found]);
    for (const root of ["one", "two", ""]) {
      vi.stubEnv("_X_AMZN_TRACE_ID", root);
      await wire.send("GetItem", members);
    }
    const traces = sent.map(({ headers }) =>
      Object.entries(headers).flatMap(([name, value]) => (/trace/i.test(name) ? [value] : [])),
    );
    expect(traces).toEqual([["one"], ["two"], []]);
  });
});
