import { describe, expect, it } from "vitest";
import { decodeBase64 } from "#core/base64";
import { createRandom } from "#tests/support/random";

/** What it is to answer, one character after the other. */
function decodedSlowly(text: string): string | undefined {
  const digits = text.replaceAll(/[\r\n]/g, "");
  const isBase64 = digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
  return isBase64 ? Buffer.from(digits, "base64").toString("hex") : undefined;
}

describe("base64 of callers", () => {
  it.each([
    ["lines of 76 characters", `${"QUJD".repeat(19)}\n`.repeat(40)],
    ["lines that end as on Windows", `${"QUJD".repeat(19)}\r\n`.repeat(40)],
    ["line breaks before, in and behind the padding", "\n\nYQ=\r\n=\n\n"],
    ["line breaks alone, at every length", "\n".repeat(13)],
    ["nothing", ""],
  ])("is read: %s", (_name, text) => {
    for (let start = 0; start < 9; start += 1) {
      const given = "\n".repeat(start) + text;
      expect(decodeBase64(given)?.toString("hex")).toBe(decodedSlowly(given) as string);
    }
  });

  it.each(["YQ=", "YQ", "YQ=A", "=YQ=", "Y===", "====", "Y Q=", "YQ-_", "YQ==YQ==", "é===", "=\n\n\n"])(
    "is refused: %j",
    (text) => expect(decodeBase64(text)).toBeUndefined(),
  );

  it("of random texts is what a slow reading finds (seed 1)", () => {
    const random = createRandom(1);
    const letters = "ABab01+/==\n\r\n\r -_é";
    for (let round = 0; round < 5_000; round += 1) {
      const length = random.integer(24);
      const kinds = random.integer(2) === 0 ? 14 : letters.length;
      const text = Array.from({ length }, () => letters[random.integer(kinds)]).join("");
      expect(decodeBase64(text)?.toString("hex")).toBe(decodedSlowly(text));
    }
  });
});
