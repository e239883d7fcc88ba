import type { MarkdownIt } from "markdown-it";

/** Gives each heading an id made of its text, for links to it: `user-content-…`, with a number when it comes again. */
export function nameHeadings(reader: MarkdownIt): void {
  reader.core.ruler.push("name_headings", ({ tokens }) => {
    const given = new Map<string, number>();
    for (const [at, token] of tokens.entries()) {
      if (token.type !== "heading_open") continue;
      const children = tokens[at + 1]?.children ?? [];
      const text = children.map(({ type, content }) => (type === "html_inline" ? "" : content)).join("");
      const slug = slugOf(text) || "heading";
      const times = given.get(slug) ?? 0;
      given.set(slug, times + 1);
      token.attrSet("id", `user-content-${slug}${times === 0 ? "" : `-${times}`}`);
    }
  });
}

const longestSlug = 200;

const slugOf = (text: string): string =>
  text
    .slice(0, longestSlug)
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replace(/\s/g, "-");
