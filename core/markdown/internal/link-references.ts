import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { findIssueReferences, findMentions } from "../../reference/find-references.ts";

/** The base for resolving references. */
export interface ReferenceScope {
  readonly rootUrl: string;
  /** The repository of `#12` and `[[Page]]`; absent when none is known: those stay text. */
  readonly repository?: { readonly owner: string; readonly name: string };
}

/** A range of a text that becomes a link. */
interface FoundLink {
  readonly start: number;
  readonly end: number;
  readonly href: string;
  readonly kind: "ref-issue" | "mention" | "commit" | "picture" | undefined;
  readonly text: string;
}

/**
 * Makes links of `#12`, `owner/repo#12`, `@name`, `owner/repo@hash`, a commit's whole id and `[[Page]]` (semantics
 * §20.1).
 */
export function linkReferences(reader: MarkdownIt, scope: ReferenceScope): void {
  reader.core.ruler.after("text_join", "link_references", (state) => {
    for (const token of state.tokens) {
      if (token.type === "inline" && token.children !== null) {
        token.children = withLinks(state, token.children, scope);
      }
    }
  });
}

function withLinks(state: StateCore, children: readonly Token[], scope: ReferenceScope): Token[] {
  let depth = 0;
  return children.flatMap((token, at) => {
    depth += linkStep(token);
    if (token.type === "link_open" && token.info === "auto") shortenAddress(token, children[at + 1], scope);
    if (token.type !== "text" || depth > 0) return [token];
    return cut(state, token, linksIn(token.content, scope, standsAlone(children[at - 1])));
  });
}

function linkStep({ type, content }: Token): number {
  if (type === "link_open" || (type === "html_inline" && /^<a[\s>]/i.test(content))) return 1;
  return type === "link_close" || (type === "html_inline" && /^<\/a\b/i.test(content)) ? -1 : 0;
}

/** Whether a text after this token begins as though after a space. */
const standsAlone = (previous: Token | undefined): boolean =>
  previous === undefined || /(?:_open|break)$/.test(previous.type);

/** An address of an issue or commit of this instance is shortened to the form that people write. */
function shortenAddress(link: Token, text: Token | undefined, { rootUrl, repository }: ReferenceScope): void {
  const href = String(link.attrGet("href") ?? "");
  if (text === undefined || !href.startsWith(`${rootUrl}/`)) return;
  const found =
    /^([\w.-]+)\/([\w.-]+)\/(?:(?:issues|pulls)\/(\d{1,12})|commit\/([0-9a-f]{7,64}))(?:[?#].*)?$/.exec(
      href.slice(rootUrl.length + 1),
    );
  if (found === null) return;
  const [, owner = "", name = "", number, hash = ""] = found;
  const isOwn = isSame(owner, repository?.owner) && isSame(name, repository?.name);
  const where = isOwn ? "" : `${owner}/${name}`;
  text.content =
    number === undefined ? `${where}${isOwn ? "" : "@"}${hash.slice(0, 10)}` : `${where}#${number}`;
  link.attrSet("class", number === undefined ? "commit" : "ref-issue");
}

const isSame = (one: string, other: string | undefined): boolean =>
  one.toLowerCase() === other?.toLowerCase();

function linksIn(text: string, scope: ReferenceScope, startsFree: boolean): FoundLink[] {
  const found = [...issueLinks(text, scope), ...mentionLinks(text, scope), ...commitLinks(text, scope)];
  if (scope.repository !== undefined) found.push(...pageLinks(text, scope.repository, scope.rootUrl));
  let end = 0;
  return found
    .sort((one, other) => one.start - other.start)
    .filter((link) => {
      if (link.start < end || (link.start === 0 && !startsFree)) return false;
      end = link.end;
      return true;
    });
}

function issueLinks(text: string, { rootUrl, repository }: ReferenceScope): FoundLink[] {
  const words = { rootUrl, closeKeywords: [], reopenKeywords: [] };
  return findIssueReferences(text, words).flatMap(({ start, end, number, ...named }) => {
    const owner = named.owner ?? repository?.owner;
    const name = named.repository ?? repository?.name;
    if (owner === undefined || name === undefined) return [];
    const kind = text[end - String(number).length - 1] === "!" ? "pulls" : "issues";
    const href = `${rootUrl}/${owner}/${name}/${kind}/${number}`;
    return [{ start, end, href, kind: "ref-issue" as const, text: text.slice(start, end) }];
  });
}

const mentionLinks = (text: string, { rootUrl }: ReferenceScope): FoundLink[] =>
  findMentions(text).map(({ start, end, name }) => {
    const [owner, team] = name.split("/");
    const href = team === undefined ? `${rootUrl}/${owner}` : `${rootUrl}/org/${owner}/teams/${team}`;
    return { start, end, href, kind: "mention" as const, text: `@${name}` };
  });

/** `owner/repo@hash`, and whole ids when the repository is known. */
function commitLinks(text: string, { rootUrl, repository }: ReferenceScope): FoundLink[] {
  const pattern =
    /(?<=^|[\s([{'"])(?:([\w.-]{1,100})\/([\w.-]{1,100})@([0-9a-f]{7,64})|([0-9a-f]{64}|[0-9a-f]{40}))(?![0-9a-zA-Z@/-])/g;
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole, ofOwner, ofName, short, id] = match;
    const owner = ofOwner ?? repository?.owner;
    const name = ofName ?? repository?.name;
    const hash = short ?? id ?? "";
    if (owner === undefined || name === undefined) return [];
    const shown = `${ofOwner === undefined ? "" : `${owner}/${name}@`}${hash.slice(0, 10)}`;
    const href = `${rootUrl}/${owner}/${name}/commit/${hash}`;
    return [
      { start: match.index, end: match.index + whole.length, href, kind: "commit" as const, text: shown },
    ];
  });
}

const pictureName = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg)$/i;

/** `[[Page]]` and `[[Text|Page]]`: a page of the wiki. `[[image.png]]`: a picture there. */
function pageLinks(
  text: string,
  { owner, name }: { readonly owner: string; readonly name: string },
  rootUrl: string,
): FoundLink[] {
  return [...text.matchAll(/\[\[([^[\]|\n]{1,200})(?:\|([^[\]|\n]{1,200}))?\]\]/g)].map((match) => {
    const [whole, first = "", page = first] = match;
    const place = { start: match.index, end: match.index + whole.length, text: first.trim() };
    const wiki = `${rootUrl}/${owner}/${name}/wiki`;
    if (pictureName.test(page.trim())) {
      const path = page.trim().split("/").map(encodeURIComponent).join("/");
      return { ...place, href: `${wiki}/raw/${path}`, kind: "picture" as const };
    }
    const href = `${wiki}/${encodeURIComponent(page.trim().replace(/\s+/g, "-"))}`;
    return { ...place, href, kind: undefined };
  });
}

function cut(state: StateCore, token: Token, links: readonly FoundLink[]): Token[] {
  if (links.length === 0) return [token];
  const tokens: Token[] = [];
  const addText = (content: string) => {
    if (content === "") return;
    const text = new state.Token("text", "", 0);
    text.content = content;
    tokens.push(text);
  };
  let at = 0;
  for (const { start, end, href, kind, text } of links) {
    addText(token.content.slice(at, start));
    at = end;
    if (kind === "picture") {
      tokens.push(pictureOf(state, href, text));
      continue;
    }
    const open = new state.Token("link_open", "a", 1);
    open.attrs =
      kind === undefined
        ? [["href", href]]
        : [
            ["href", href],
            ["class", kind],
          ];
    tokens.push(open);
    addText(text);
    tokens.push(new state.Token("link_close", "a", -1));
  }
  addText(token.content.slice(at));
  return tokens;
}

function pictureOf(state: StateCore, src: string, text: string): Token {
  const picture = new state.Token("image", "img", 0);
  picture.attrs = [
    ["src", src],
    ["alt", ""], // which the renderer fills from the children
  ];
  const alt = new state.Token("text", "", 0);
  alt.content = text;
  picture.children = [alt];
  return picture;
}
