import { describe, expect, it } from "vitest";
import { fileNameOf, titleOf, titleOfFile, webNameOf } from "#core/wiki/names";
import { createRandom } from "#tests/support/random";

const random = createRandom();
const parts = [
  "a",
  "%",
  "%20",
  "%2F",
  "+",
  "-",
  " ",
  "/",
  ".",
  "..",
  ".-",
  ".md",
  "ä",
  "💧",
  "?",
  "#",
  "_",
  "\\",
];
const randomTitle = () => Array.from({ length: 1 + random.integer(6) }, () => random.pick(parts)).join("");

describe("names of wiki pages (semantics §65.1)", () => {
  it(`read back as their titles, in addresses and as files, whatever a title holds [seed ${random.seed}]`, () => {
    const titles = [
      ".",
      "..",
      "...",
      ".-",
      "a.-",
      "a. ",
      " ",
      "a+b",
      "a b",
      "a%20b",
      ".md",
      "x.md",
      ".hidden",
    ];
    for (const title of [...titles, ...Array.from({ length: 2_000 }, randomTitle)]) {
      expect([title, titleOf(webNameOf(title))]).toEqual([title, title]);
      expect([title, titleOfFile(fileNameOf(title))]).toEqual([title, title]);
    }
  });

  it("are one segment of an address, which no client takes for a way through folders", () => {
    for (const title of [".", "..", "../x", "a/b", "?", "#", ...Array.from({ length: 500 }, randomTitle)]) {
      const name = webNameOf(title);
      const { pathname } = new URL(`http://127.0.0.1/wiki/page/${name}`);
      expect([title, pathname]).toEqual([title, `/wiki/page/${name}`]);
      expect(fileNameOf(title)).not.toContain("/");
    }
  });

  it("are different for different titles", () => {
    const titles = new Set(Array.from({ length: 2_000 }, randomTitle));
    for (const nameOf of [webNameOf, fileNameOf])
      expect(new Set([...titles].map(nameOf)).size).toBe(titles.size);
  });
});
