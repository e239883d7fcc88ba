import type { EventType } from "../event-types.ts";
import type { EventPayload } from "./event-payload.ts";
import { newsOf } from "./news.ts";

/** A text of one line, with the address that it leads to; empty: none. */
export interface ChatLine {
  readonly text: string;
  readonly link: string;
}

/** How an event feels, for the color beside it. */
export type Tone = "good" | "bad" | "neutral";

/** An event in words, for any chat service: plain texts, which each service's form escapes. */
export interface ChatMessage {
  /** One sentence: where, who, and what they did. */
  readonly title: ChatLine;
  /** The listed commits of a push. */
  readonly lines: readonly ChatLine[];
  /** What somebody wrote: several lines of Markdown, cut; empty: nothing. */
  readonly quote: string;
  readonly tone: Tone;
  readonly sender: { readonly name: string; readonly link: string; readonly avatar: string };
}

/** Characters; every service takes that much in all. */
const longest = { title: 250, line: 120, quote: 1_000 };

/** Says what happened. `payload` is the event's, parsed. */
export function chatMessage(eventType: EventType, payload: EventPayload): ChatMessage {
  const { sender, repository } = payload;
  const news = newsOf(eventType, payload);
  const where = news.where ?? repository?.full_name ?? payload.organization?.login ?? "";
  return {
    title: { text: oneLine(`[${where}] ${sender.login} ${news.did}`, longest.title), link: news.link },
    lines: (news.lines ?? []).map(({ text, link }) => ({ text: oneLine(text, longest.line), link })),
    quote: cut((news.quote ?? "").trim(), longest.quote),
    tone: news.tone ?? "neutral",
    sender: { name: sender.login, link: sender.html_url, avatar: sender.avatar_url },
  };
}

/** Spaces for control characters and the like, which would end the line or turn it around. */
const oneLine = (text: string, most: number): string =>
  cut(text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim(), most);

/** The first characters, with an ellipsis where some are missing; surrogate pairs stay whole. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** The whole message as text: the title, the lines, then the quote, with each part as `show` writes it. */
export function textOf(
  { title, lines, quote }: ChatMessage,
  { line, quoted }: { line: (line: ChatLine) => string; quoted: (text: string) => string },
  newline = "\n",
): string {
  const parts = [line(title), ...lines.map(line), ...(quote === "" ? [] : [quoted(quote)])];
  return parts.join(newline);
}
