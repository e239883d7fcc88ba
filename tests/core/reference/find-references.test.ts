import { describe, expect, it } from "vitest";
import {
  findIssueReferences,
  findMentions,
  hasMentions,
  hasReferences,
  withoutCode,
} from "#core/reference/find-references";

const words = {
  rootUrl: "http://forge.example/base",
  closeKeywords: ["close", "closes", "fixes"],
  reopenKeywords: ["reopens"],
};
const numbers = (text: string) => findIssueReferences(text, words).map(({ number }) => number);
const actions = (text: string) => findIssueReferences(text, words).map(({ action }) => action);
const inMarkdown = (text: string) => numbers(withoutCode(text));

describe("references of a text (semantics §20.1)", () => {
  it("name issues and pulls by # and !, here and in other repositories", () => {
    expect(findIssueReferences("see #12, a.b/c_d-e!7", words)).toMatchObject([
      { number: 12, start: 4, end: 7 },
      { number: 7, owner: "a.b", repository: "c_d-e" },
    ]);
  });

  it("name them by address, of this instance alone", () => {
    const root = words.rootUrl;
    expect(numbers(`${root}/o/r/issues/3 (${root}/o/r/pulls/4) ${root}/o/r/issues/5#issuecomment-9`)).toEqual(
      [3, 4, 5],
    );
    expect(numbers("http://forge.example/o/r/issues/3 https://forge.example/base/o/r/issues/3")).toEqual([]);
    expect(numbers(`${root}/o/r/commit/3 ${root}/o/issues/3`)).toEqual([]);
  });

  it("stand alone: a#2 is none, nor what goes on behind", () => {
    for (const text of ["a#2", "#2a", "#2-3", "##2", "#", "#0", "x/y/z#2", "#2.5", "é#2"]) {
      expect(numbers(text), text).toEqual([]);
    }
    for (const text of [
      "#2",
      "(#2)",
      "[#2]",
      "'#2'",
      '"#2"',
      "#2.",
      "#2, x",
      "#2: x",
      "#2?",
      "\n#2\n",
      "\t#2",
    ]) {
      expect(numbers(text), text).toEqual([2]);
    }
  });

  it("are acted on with the word directly before, each with its own", () => {
    expect(actions("closes #1, #2 and Fixes: #3; reopens #4 foreclose #5 fixes  #6 fixes\n#7")).toEqual([
      "closes",
      "none",
      "closes",
      "reopens",
      "none",
      "none",
      "none",
    ]);
    expect(actions(`closes [it](${words.rootUrl}/o/r/issues/3)`)).toEqual(["none"]);
  });

  it("are none in code and in comments of Markdown", () => {
    const fenced = ["```", "#1", "```", "#2", "~~~ts", "#3", "```", "#4", "~~~", "#5"].join("\n");
    expect(inMarkdown(fenced)).toEqual([2, 5]);
    expect(inMarkdown("`#1` #2 ``x ` #3`` #4 ` #5")).toEqual([2, 4, 5]);
    expect(inMarkdown("text\n\n    #1\n\n#2\n    #3")).toEqual([2, 3]);
    expect(inMarkdown("- item\n\n      #1\n\n- #2")).toEqual([1, 2]);
    expect(inMarkdown("<!-- #1\n#2 --> #3 <!-- #4")).toEqual([3, 4]);
    expect(inMarkdown("> ```\n> #1\n> ```\n> #2")).toEqual([2]);
  });

  it("keep their places when code is blanked", () => {
    const text = "`é😀` #2\n```\n#3\n```";
    expect(withoutCode(text)).toHaveLength(text.length);
  });

  it("mention users and teams, but no addresses of mail", () => {
    const text = "@olga, (@team-x/core) me@example.com @a..b @-x @olga's";
    expect(findMentions(text).map(({ name }) => name)).toEqual(["olga", "team-x/core", "a", "olga"]);
  });

  it("say at once whether there are any", () => {
    expect([hasReferences("a #1", ""), hasReferences("a#1 @x", "http://x"), hasMentions("@x")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("are found in hostile texts of the greatest length without going back and forth", () => {
    const [most, every] = [65_536, ["#1 ", "@a "]];
    const texts = [
      "#1 ",
      "@a ",
      "a/",
      "`",
      "``` ",
      "- ",
      "> ",
      "<!--",
      "@a.",
      "((((",
      "a/b#",
      "fixes ",
      "\t\n",
    ];
    for (const part of texts) {
      const text = part.repeat(most / part.length);
      expect(withoutCode(text), part).toHaveLength(text.length);
      const found = [...findIssueReferences(text, words), ...findMentions(text)];
      expect(found, part).toHaveLength(
        every.includes(part) ? Math.floor(most / part.length) : part === "@a." ? 1 : 0,
      );
    }
  });
});
