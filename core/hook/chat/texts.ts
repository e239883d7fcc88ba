import { escapeHtml } from "../../escape-html.ts";
import { type ChatLine, type ChatMessage, textOf } from "./chat-message.ts";

const htmlLine = ({ text, link }: ChatLine): string =>
  link === "" ? escapeHtml(text) : `<a href="${escapeHtml(link)}">${escapeHtml(text)}</a>`;

/** For services that read `<at …>` or `<@user>` in texts, and know no way to write the character itself. */
export const withoutTags = (text: string): string => text.replaceAll("<", "‹");
const plainLine = ({ text, link }: ChatLine): string =>
  link === "" ? withoutTags(text) : `${withoutTags(text)} ${link}`;
const markdownLine = ({ text, link }: ChatLine): string => {
  const escaped = withoutTags(text).replace(/[\\[\]]/g, "\\$&");
  return link === "" ? escaped : `[${escaped}](${link})`;
};

/** Telegram's Bot API, `sendMessage`: the hook's address names the bot and the chat. */
export const telegramBody = (message: ChatMessage): object => ({
  text: textOf(message, { line: htmlLine, quoted: escapeHtml }),
  parse_mode: "HTML",
  disable_web_page_preview: true,
});

/** Matrix: the content of an `m.room.message`, in which nobody is mentioned. */
export const matrixBody = (message: ChatMessage, kind: string): object => ({
  msgtype: kind,
  body: textOf(message, { line: ({ text, link }) => `${text} ${link}`.trim(), quoted: (text) => text }),
  format: "org.matrix.custom.html",
  formatted_body: textOf(
    message,
    { line: htmlLine, quoted: (text) => escapeHtml(text).replaceAll("\n", "<br>") },
    "<br>",
  ),
  "m.mentions": {},
});

/** DingTalk: a card with one button. */
export const dingtalkBody = (message: ChatMessage): object => ({
  msgtype: "actionCard",
  actionCard: {
    title: withoutTags(message.title.text),
    text: textOf(message, { line: markdownLine, quoted: withoutTags }, "\n\n"),
    hideAvatar: "0",
    ...(message.title.link === "" ? {} : { singleTitle: "Open", singleURL: message.title.link }),
  },
});

/** Feishu and Lark: a text. */
export const feishuBody = (message: ChatMessage): object => ({
  msg_type: "text",
  content: { text: textOf(message, { line: plainLine, quoted: withoutTags }) },
});

/** WeCom (WeChat Work): Markdown. */
export const wechatworkBody = (message: ChatMessage): object => ({
  msgtype: "markdown",
  markdown: { content: textOf(message, { line: markdownLine, quoted: withoutTags }) },
});
