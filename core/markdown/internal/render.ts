import type { MarkdownIt } from "markdown-it";
import { nameHeadings } from "./headings.ts";
import { linkReferences, type ReferenceScope } from "./link-references.ts";
import { type LinkBases, sanitize } from "./sanitize.ts";
import { markTasks } from "./tasks.ts";

// A file of their own in a bundle, which threads alone load.
const [{ default: createReader }, { full: emoji }, { default: footnotes }] = await Promise.all([
  import("markdown-it"),
  import("markdown-it-emoji"),
  import("markdown-it-footnote"),
]);

/** The form of a text: plain Markdown, a document of a repository, or a comment, which keeps its line breaks. */
export type RenderMode = "markdown" | "gfm" | "comment";

/** The options for making HTML of a text; plain values, because they cross to a thread. */
export interface RenderOptions extends LinkBases {
  readonly mode: RenderMode;
  /** Which references and mentions become links; none when absent. */
  readonly references?: ReferenceScope;
}

/** Text that is nested deeper stays text: nobody reads it, and browsers fail at it. */
const deepest = 100;

/**
 * Turns Markdown (CommonMark with tables, strikethrough, task lists, autolinks and footnotes; semantics §28) into HTML
 * that is safe to show. Slow for large texts: `renderTask` runs it on a thread.
 */
export function render(text: string, options: RenderOptions): string {
  return sanitize(readerOf(options).render(text), options);
}

function readerOf({ mode, references }: RenderOptions): MarkdownIt {
  const reader = createReader({ html: true, linkify: true, breaks: mode === "comment", maxNesting: deepest });
  // An unsafe address loses its target when it is sanitized; its text stays a link's text.
  reader.validateLink = () => true;
  reader.use(footnotes).use(markTasks).use(nameHeadings);
  linkAddresses(reader);
  alignCells(reader);
  if (mode !== "markdown") reader.use(emoji, { shortcuts: {} });
  if (references !== undefined) reader.use(linkReferences, references);
  return reader;
}

/** GFM makes links of `http://…`, `www.…` and e-mail addresses, but not of a bare `example.com`. */
function linkAddresses(reader: MarkdownIt): void {
  const { linkify } = reader;
  linkify.set({ fuzzyLink: false });
  linkify.add("www.", {
    validate: (text: string, at: number) =>
      /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}(?:[/?#][^\s<]{0,2000}[^\s<?!.,:*_~)'"])?/i.exec(
        text.slice(at, at + 3_000),
      )?.[0].length ?? 0,
    normalize: (match) => {
      match.url = `http://${match.url}`;
    },
  });
}

/** Cells show their alignment by an attribute, because styles are removed. */
function alignCells(reader: MarkdownIt): void {
  for (const rule of ["th_open", "td_open"]) {
    reader.renderer.rules[rule] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      const side = /text-align:(left|center|right)/.exec(String(token?.attrGet("style") ?? ""))?.[1];
      if (token !== undefined && side !== undefined) token.attrs = [["align", side]];
      return self.renderToken(tokens, index, options);
    };
  }
}
