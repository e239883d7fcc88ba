import { describe, expect, it } from "vitest";
import { computeFor } from "#core/compute/compute";
import { parseJson, validate } from "#functions/http/body/json-body";
import { mostValues, parseJsonTask } from "#functions/http/body/parse-json-task";
import { ownMs } from "#tests/support/thread-time";
import { z } from "#zod";

const port = { signal: new AbortController().signal, post: () => undefined, onMessage: () => undefined };
const most = mostValues.ofLarge;
const parse = (text: string) => parseJsonTask.run({ bytes: Buffer.from(text), most }, port);

describe("the JSON of a body", () => {
  it("has at most 20,000 values, however they lie: in each other, side by side, as keys", () => {
    const more = most + 1;
    for (const text of [
      `${"[".repeat(more)}${"]".repeat(more)}`,
      `[${"0,".repeat(more)}0]`,
      `{${Array.from({ length: more / 2 }, (_, at) => `"k${at}":0`).join(",")},"k":0}`,
    ]) {
      expect(parse(text)).toEqual({ hasTooMany: true });
    }
  });

  it("may be long: what stands in a text counts for nothing, escaped quotes and marks neither", () => {
    const value = { text: `[{,:"\\`.repeat(most), list: Array.from({ length: 1_000 }, () => 0) };
    expect(parse(JSON.stringify(value))).toEqual({ value });
  });

  it("has the values that it has in a body of more bytes than values are allowed", () => {
    const value = Array.from({ length: most - 1 }, () => 1_000);
    expect(parse(JSON.stringify(value))).toEqual({ value });
  });

  it("is checked soon, whatever of it is of the wrong kind", () => {
    const schema = z.object({
      labels: z.array(z.string()).optional(),
      flags: z.record(z.string(), z.string()),
    });
    const numbers = Array.from({ length: most }, () => 1);
    const check = (value: unknown) =>
      ownMs(() => expect(() => validate(schema, value)).toThrow("Invalid input"));
    // A tenth of a second; comparing each value with each would be hundreds of millions of steps.
    expect(check({ labels: numbers, flags: {} })).toBeLessThan(500);
    expect(check({ flags: Object.fromEntries(numbers.map((one, at) => [`k${at}`, one])) })).toBeLessThan(500);
  });

  it("has at most 5,000 values where it may have no more than 1 MiB, as all lists of such operations are short", async () => {
    const bytes = Buffer.from(JSON.stringify(Array.from({ length: mostValues.usual }, () => 1)));
    const compute = computeFor("test");
    await expect(parseJson(bytes, 2 ** 20, compute)).resolves.toHaveLength(mostValues.usual);
    const more = Buffer.concat([bytes.subarray(0, -1), Buffer.from(",1,1]")]);
    await expect(parseJson(more, 2 ** 20, compute)).rejects.toMatchObject({ code: "too-large" });
    await expect(parseJson(more, 2 ** 21, compute)).resolves.toHaveLength(mostValues.usual + 2);
  });
});
