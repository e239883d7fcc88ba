import { describe, expect, it } from "vitest";
import { identifyLicense } from "#core/template/internal/identify-license";
import { findLicense } from "#core/template/licenses";
import { ownMs } from "#tests/support/thread-time";

const longest = 64 * 1024;

// Each line's search for a holder went on over all empty lines that followed: four seconds for 64 KiB of them.
describe("a file of line breaks, as large as a license may be, takes no second of reckoning (fixed)", () => {
  for (const mark of ["\n", "\r", "\u2028", "\r\n", " \n", "(\n", "all rights reserved\n"]) {
    it(JSON.stringify(mark), () => {
      const text = mark.repeat(longest / mark.length) + "word ".repeat(30);
      identifyLicense(text.slice(-200)); // the texts of all licenses are read
      expect(ownMs(() => identifyLicense(text))).toBeLessThan(300);
    });
  }

  it("who holds the copyright is left out as before, in whatever line", () => {
    const body = findLicense("MIT")?.body ?? "";
    const others = body.replace(
      /^Copyright.*$/m,
      "\r\n\r\n * (c) 2001 Somebody\n\n# © Else\nAll Rights Reserved.\n\n",
    );
    expect(others).not.toBe(body);
    expect(identifyLicense(others)).toBe("MIT");
  });
});
