import { describe, expect, it } from "vitest";
import { mostValues, parseJsonTask } from "#functions/api/parse-json-task";

const port = { signal: new AbortController().signal, post: () => undefined, onMessage: () => undefined };
const parse = (text: string) => parseJsonTask.run({ bytes: Buffer.from(text) }, port);

describe("the JSON of a body", () => {
  it("has at most 100,000 values, however they lie: in each other, side by side, as keys", () => {
    const more = mostValues + 1;
    for (const text of [
      `${"[".repeat(more)}${"]".repeat(more)}`,
      `[${"0,".repeat(more)}0]`,
      `{${Array.from({ length: more / 2 }, (_, at) => `"k${at}":0`).join(",")},"k":0}`,
    ]) {
      expect(parse(text)).toEqual({ hasTooMany: true });
    }
  });

  it("may be long: what stands in a text counts for nothing, escaped quotes and marks neither", () => {
    const value = { text: `[{,:"\\`.repeat(mostValues), list: Array.from({ length: 1_000 }, () => 0) };
    expect(parse(JSON.stringify(value))).toEqual({ value });
  });

  it("has the values that it has in a body of more bytes than values are allowed", () => {
    const value = Array.from({ length: mostValues - 1 }, () => 1_000);
    expect(parse(JSON.stringify(value))).toEqual({ value });
  });
});
