import { describe, expect, it } from "vitest";
import { coAuthorsOf, trailersOf } from "#core/git/format/trailers";
import { bareRepository, gitText } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";

const lines = [
  "Signed-off-by: Ada <ada@example.org>",
  "Co-authored-by: Ben <ben@example.org>",
  "Fixes: #12",
  "key : with a space before",
  "Empty:",
  " a line that goes on",
  "just words",
  "more words: with colon",
  "(cherry picked from commit 0123456789012345678901234567890123456789)",
  "",
  "",
  "---",
];

describe("trailersOf", () => {
  const random = createRandom();

  it(`finds what git interpret-trailers finds (SEED=${random.seed})`, async () => {
    const folder = await bareRepository("sha1");
    for (let round = 0; round < 60; round++) {
      const body = Array.from({ length: 1 + random.integer(9) }, () => random.pick(lines));
      const message = `${random.chance(0.8) ? "Title\n\n" : ""}${body.join("\n")}\n`;
      const parsed = await gitText(folder, ["interpret-trailers", "--parse", "--unfold"], message);
      const told = trailersOf(message).map(({ key, value }) => `${key}: ${value}`.trim());
      expect(told.join("\n"), JSON.stringify(message)).toBe(
        parsed
          .split("\n")
          .map((line) => line.trim())
          .join("\n"),
      );
    }
  });

  it("takes CRLF line ends, and ends fast for long messages", () => {
    expect(trailersOf("Title\r\n\r\nA: b\r\nC: d\r\n")).toEqual([
      { key: "A", value: "b" },
      { key: "C", value: "d" },
    ]);
    expect(trailersOf(`Title\n\n${" ".repeat(500_000)}${"a".repeat(500_000)}`)).toEqual([]);
  });
});

describe("coAuthorsOf", () => {
  it("names each address once, whatever its case, and passes over what has none", () => {
    const message = [
      "Title\n\nBody.\n",
      "Co-authored-by: Ben B. <Ben@example.org>",
      "co-authored-by: Ben <ben@example.org>",
      "Co-Authored-By: Nobody",
      "Co-authored-by: <only@example.org>",
      "Signed-off-by: Ada <ada@example.org>",
    ].join("\n");
    expect(coAuthorsOf(message)).toEqual([
      { name: "Ben B.", email: "Ben@example.org" },
      { name: "", email: "only@example.org" },
    ]);
  });
});
