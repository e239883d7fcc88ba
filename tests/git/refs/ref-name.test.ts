import { describe, expect, it } from "vitest";
import { compareRefNames, decodeRefName, encodeRefName } from "#core/git/refs/ref-name";

const samples: readonly (string | readonly number[])[] = [
  "refs/heads/main",
  "refs/heads/größe",
  "refs/heads/分支",
  "refs/heads/\u{1f480}",
  "refs/heads/\uffff",
  [...Buffer.from("refs/heads/"), 0xff, 0x41],
  [...Buffer.from("refs/heads/"), 0xc3],
  [...Buffer.from("refs/heads/"), 0xed, 0xb2, 0x80],
  [...Buffer.from("refs/heads/�"), 0x80],
  [...Buffer.from("refs/heads/"), 0xf0, 0x9f, 0x92, 0x2f, 0xe5],
];
const bytesOf = (sample: string | readonly number[]) =>
  typeof sample === "string" ? Buffer.from(sample) : Buffer.from(sample);

describe("ref names", () => {
  it.each(samples.map((sample) => [bytesOf(sample).toString("hex"), bytesOf(sample)] as const))(
    "come back byte for byte: %s",
    (_, bytes) => {
      expect(encodeRefName(decodeRefName(bytes)).equals(bytes)).toBe(true);
    },
  );

  it("of random bytes come back byte for byte", () => {
    let state = 12345;
    const random = () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state >>> 16;
    };
    for (let round = 0; round < 3000; round++) {
      const bytes = Buffer.from(
        Array.from({ length: random() % 12 }, () => (random() % 4 ? 0x80 | random() : random()) & 0xff),
      );
      expect(encodeRefName(decodeRefName(bytes)).toString("hex")).toBe(bytes.toString("hex"));
    }
  });

  it("that are UTF-8 read as text", () => {
    expect(decodeRefName(Buffer.from("refs/heads/größe"))).toBe("refs/heads/größe");
    expect(decodeRefName(Buffer.from("refs/heads/�"))).toBe("refs/heads/�");
  });

  it("sort by their bytes, as git sorts them", () => {
    const names = samples.map((sample) => decodeRefName(bytesOf(sample)));
    for (const left of names) {
      for (const right of names) {
        const expected = Buffer.compare(encodeRefName(left), encodeRefName(right));
        expect(Math.sign(compareRefNames(left, right))).toBe(expected);
      }
    }
  });
});
