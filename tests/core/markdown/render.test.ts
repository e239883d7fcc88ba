import { describe, expect, it } from "vitest";
import { type RenderOptions, render } from "#core/markdown/internal/render";

const rootUrl = "https://forge.example/git";
const inRepository: RenderOptions = {
  mode: "comment",
  linkBase: `${rootUrl}/ada/engine`,
  imageBase: `${rootUrl}/ada/engine`,
  references: { rootUrl, repository: { owner: "ada", name: "engine" } },
};
const plain = (text: string) => render(text, { mode: "markdown" });
const comment = (text: string) => render(text, inRepository);
const hrefs = (html: string) => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href);

describe("plain Markdown (semantics §28)", () => {
  it("is CommonMark with tables, strikethrough, task lists, autolinks and footnotes", () => {
    expect(plain("| a |\n|--:|\n| 1 |")).toContain('<td align="right">1</td>');
    expect(plain("~~old~~")).toBe("<p><s>old</s></p>\n");
    expect(plain("- [x] t\n- [ ] u")).toMatch(
      /<li class="task-list-item"><input type="checkbox"[^>]* checked[^>]*>.*\n<li class="task-list-item"><input type="checkbox"(?![^>]*checked)/,
    );
    expect(plain("- [x] t")).toMatch(/<input[^>]* disabled/);
    expect(hrefs(plain("https://a.example/b www.a.example me@a.example bare.example"))).toEqual([
      "https://a.example/b",
      "http://www.a.example",
      "mailto:me@a.example",
    ]);
    expect(plain("x[^1]\n\n[^1]: note")).toMatch(/href="#user-content-fn1"[\s\S]*<li id="user-content-fn1"/);
    expect(plain("```js\nlet a\n```")).toBe('<pre><code class="language-js">let a\n</code></pre>\n');
  });

  it("gives headings ids of their own, each once", () => {
    expect(plain("# A")).toBe('<h1 id="user-content-a">A</h1>\n');
    expect(plain("# Ää `b` c!\n# Ää b c")).toMatch(
      /id="user-content-ää-b-c"[\s\S]*id="user-content-ää-b-c-1"/,
    );
  });

  it("knows no references, no mentions, and keeps line breaks soft", () => {
    expect(plain("a\nb @bob #1 :smile:")).toBe("<p>a\nb @bob #1 :smile:</p>\n");
  });
});

describe("comments", () => {
  it("end lines where they end, know emoji and mentions", () => {
    expect(comment("a\nb")).toContain("<br />");
    expect(comment(":tada:")).toBe("<p>🎉</p>\n");
    expect(comment("@bob, @guild/makers; me@bob.example a@b @-")).toContain(
      `<a href="${rootUrl}/bob" class="mention"`,
    );
    expect(hrefs(comment("@bob. @guild/makers!"))).toEqual([
      `${rootUrl}/bob`,
      `${rootUrl}/org/guild/teams/makers`,
    ]);
  });

  it("link issues, pulls, commits and pages of the wiki (semantics §20.1)", () => {
    const hash = "0123456789abcdef0123456789abcdef01234567";
    const text = `#12 (!13) other/repo#14: other/repo@abcdef1 ${hash} [[Home Page]] [[Start|Home]]`;
    expect(hrefs(comment(text))).toEqual([
      `${rootUrl}/ada/engine/issues/12`,
      `${rootUrl}/ada/engine/pulls/13`,
      `${rootUrl}/other/repo/issues/14`,
      `${rootUrl}/other/repo/commit/abcdef1`,
      `${rootUrl}/ada/engine/commit/${hash}`,
      `${rootUrl}/ada/engine/wiki/Home-Page`,
      `${rootUrl}/ada/engine/wiki/Home`,
    ]);
  });

  it("show a picture of the wiki that stands in double brackets (semantics §28)", () => {
    const html = comment("[[plans/first floor.PNG]] [[The plan|plan.svg]] [[x.png.txt]]");
    const raw = `${rootUrl}/ada/engine/wiki/raw`;
    expect(html).toContain(`<img src="${raw}/plans/first%20floor.PNG" alt="plans/first floor.PNG" />`);
    expect(html).toContain(`<img src="${raw}/plan.svg" alt="The plan" />`);
    expect(hrefs(html)).toEqual([`${rootUrl}/ada/engine/wiki/x.png.txt`]);
  });

  it("show addresses of issues and commits of this instance as people write them", () => {
    const html = comment(`${rootUrl}/ada/engine/issues/7#issuecomment-1 ${rootUrl}/other/repo/pulls/8`);
    expect(html.replace(/<[^>]+>/g, "")).toBe("#7 other/repo#8\n");
  });

  it("find no reference in code, in links, in words", () => {
    const html = comment("`#2` a#2 #2b [see #2](https://a.example) *a*#2\n\n    #2\n\n```\n#2\n```");
    expect(hrefs(html)).toEqual(["https://a.example"]);
  });

  it("without a repository link only what names one", () => {
    const html = render("#1 o/r#2 [[Page]] @bob", { mode: "comment", references: { rootUrl } });
    expect(hrefs(html)).toEqual([`${rootUrl}/o/r/issues/2`, `${rootUrl}/bob`]);
  });
});

describe("relative addresses", () => {
  it("begin at the context, fragments at the generated ids", () => {
    const html = comment('[a](docs/x.md) [b](/y) [c](#part) ![d](i.png) <a href="z">e</a>');
    expect(hrefs(html)).toEqual([
      `${rootUrl}/ada/engine/docs/x.md`,
      `${rootUrl}/ada/engine/y`,
      "#user-content-part",
      `${rootUrl}/ada/engine/z`,
    ]);
    expect(html).toContain(`<img src="${rootUrl}/ada/engine/i.png" alt="d" />`);
  });
});

describe("bad input", () => {
  it("nesting a thousand deep ends as text", () => {
    for (const opening of ["> ", "- ", "[", "![", "*a ", "<div>", "<b>", "1. "]) {
      const html = comment(opening.repeat(1_000));
      const depth = [...html.matchAll(/<(blockquote|ul|ol|div|b|em)[ >]/g)].length;
      expect(depth, opening).toBeLessThanOrEqual(opening === "*a " ? 1_000 : 250);
    }
  });

  it("broken and odd texts become something", () => {
    for (const text of ["\0", "\ud800", "|", "[^", "[^1]:", "<", "&#x110000;", "]]>", "\u202e#1"]) {
      expect(typeof comment(text), JSON.stringify(text)).toBe("string");
    }
  });
});
