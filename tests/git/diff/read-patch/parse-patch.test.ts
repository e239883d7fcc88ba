import { describe, expect, it } from "vitest";
import { applyHunks, readHunks } from "#core/git/diff/read-patch/hunk";
import { parsePatch } from "#core/git/diff/read-patch/parse-patch";

const plenty = () => ({ lines: 1_000_000 });
const hunksOf = (text: string) => {
  const parsed = parsePatch(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return readHunks(parsed.files[0]?.hunks ?? "");
};
const edit = (hunks: string) => `--- a/f\n+++ b/f\n${hunks}`;

describe("parsePatch", () => {
  it("reads names in quotes, of empty files, with blanks, and passes over mails around", () => {
    const text = [
      "From 0 Mon Sep 17 00:00:00 2001",
      "Subject: [PATCH] --- not a name",
      "---",
      " f | 0",
      "diff --git a/new one b/new one",
      "new file mode 100755",
      "index 0..e69de29",
      'diff --git "a/\\303\\244" "b/\\303\\244"',
      "deleted file mode 100644",
      "-- ",
      "2.40.0",
      "",
    ].join("\n");
    expect(parsePatch(text)).toEqual({
      files: [
        { to: "new one", mode: 0o100755, isCopy: false, hunks: "" },
        { from: "\xc3\xa4", isCopy: false, hunks: "" },
      ],
    });
  });

  it.each([
    ["nothing", ""],
    ["words", "words\nand more\n"],
    ["a hunk that ends early", edit("@@ -1,3 +1,3 @@\n a\n-b\n")],
    ["a hunk with more lines than it says", edit("@@ -1 +1,2 @@\n-a\n-b\n+c\n")],
    ["a hunk with other lines", edit("@@ -1 +1 @@\n?a\n")],
    ["a header that is none", edit("@@ here @@\n a\n")],
    ["a submodule", "diff --git a/m b/m\nnew file mode 160000\n"],
    ["a mode of no kind", "diff --git a/m b/m\nnew file mode 100600\n"],
    ["a binary file that is left out", "diff --git a/m b/m\nindex 1..2\nBinary files a/m and b/m differ\n"],
    ["a binary patch of no digits", "diff --git a/m b/m\nGIT binary patch\nliteral 3\nAäö\n\n"],
    [
      "a binary patch larger than it says",
      "diff --git a/m b/m\nGIT binary patch\nliteral 1\nKcmZ?wbhKdL0001\n\n",
    ],
    ["names that differ without saying so", "diff --git a/one b/two\nold mode 100644\nnew mode 100755\n"],
  ])("has a problem for %s", (_what, text) => {
    expect(parsePatch(text)).toHaveProperty("problem");
  });
});

describe("a patch of much", () => {
  it("is told file by file, its hunks as one text each: threads copy what they tell", () => {
    const hunk = `@@ -0,0 +1,100000 @@\n${"+\n".repeat(100_000)}`;
    const parsed = parsePatch(`--- /dev/null\n+++ b/f\n${hunk}`);
    expect(parsed).toEqual({ files: [{ to: "f", isCopy: false, hunks: hunk }] });
  });

  it("is read as far as one file beyond those that it may have", () => {
    const parsed = parsePatch(edit("@@ -1 +1 @@\n-a\n+b\n").repeat(50), 10);
    expect("files" in parsed && parsed.files.length).toBe(11);
  });
});

describe("applyHunks", () => {
  it("finds a hunk where its lines have moved, nearest first, and not before the one before", () => {
    const filler = Array.from({ length: 20 }, (_, at) => `${at}\n`).join("");
    const hunks = hunksOf(edit("@@ -2,3 +2,3 @@\n x\n-old\n+new\n y\n"));
    expect(applyHunks(`${filler}x\nold\ny\n${filler}`, hunks, plenty())).toBe(
      `${filler}x\nnew\ny\n${filler}`,
    );
    const both = hunksOf(
      edit("@@ -3,3 +3,3 @@\n x\n-old\n+new\n y\n@@ -9,3 +9,3 @@\n x\n-old\n+newer\n y\n"),
    );
    expect(applyHunks("a\nx\nold\ny\nx\nold\ny\n", both, plenty())).toBe("a\nx\nnew\ny\nx\nnewer\ny\n");
  });

  it("holds a hunk at the start or the end of its file to it, and line feeds to what they are", () => {
    const atEnd = hunksOf(edit("@@ -5,1 +5,2 @@\n last\n+more\n"));
    expect(applyHunks("a\nlast\n", atEnd, plenty())).toBe("a\nlast\nmore\n");
    expect(applyHunks("last\na\n", atEnd, plenty())).toBeUndefined();
    expect(applyHunks("a\nlast", atEnd, plenty())).toBeUndefined();
    const bare = hunksOf(edit("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n"));
    expect(applyHunks("a\n", bare, plenty())).toBe("b");
  });

  it("gives up where looking for a place would take for ever", () => {
    const lines = "a\n".repeat(20_000);
    const hunk = `@@ -9,10001 +9,10001 @@\n${" a\n".repeat(9_999)}-b\n+c\n a\n`;
    const budget = plenty();
    expect(applyHunks(lines, hunksOf(edit(hunk)), budget)).toBeUndefined();
    expect(budget.lines).toBeGreaterThan(-20_000);
  });
});
