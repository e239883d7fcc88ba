import { escapeHtml } from "../../escape-html.ts";
import type { ChatLine, ChatMessage, Tone } from "./chat-message.ts";
import { withoutTags } from "./texts.ts";

/** The messages of services that show cards. A hook's settings may name who speaks, and where. */
export type ChatSettings = Readonly<Record<string, string>>;

const colors: Readonly<Record<Tone, string>> = { good: "#2e7d32", bad: "#c62828", neutral: "#f9a825" };

/** Slack's three characters (api.slack.com, "Formatting text"): so no text can call a channel or a user. */
const escapeSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const slackLine = ({ text, link }: ChatLine): string =>
  link === "" ? escapeSlack(text) : `<${link}|${escapeSlack(text)}>`;

/** Slack, and what takes its messages: an incoming webhook's message. */
export function slackBody(message: ChatMessage, settings: ChatSettings): object {
  const { channel, username, icon_url, color } = settings;
  const quote = message.quote === "" ? [] : [escapeSlack(message.quote)];
  const text = [...message.lines.map(slackLine), ...quote].join("\n");
  return {
    ...{ channel, username, icon_url },
    text: slackLine(message.title),
    attachments: text === "" ? [] : [{ color: color || colors[message.tone], text }],
  };
}

/** Marks of Discord's Markdown. */
const escapeDiscord = (text: string): string => text.replace(/[\\*_~`|>[\]()#<]/g, "\\$&");
const discordLine = ({ text, link }: ChatLine): string =>
  link === "" ? escapeDiscord(text) : `[${escapeDiscord(text)}](${link})`;

/** Discord: one embed, which mentions nobody. */
export function discordBody(message: ChatMessage, { username, icon_url }: ChatSettings): object {
  const { title, lines, quote, sender, tone } = message;
  return {
    ...{ username, avatar_url: icon_url },
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: title.text,
        ...(title.link === "" ? {} : { url: title.link }),
        description: [...lines.map(discordLine), ...(quote === "" ? [] : [quote])].join("\n"),
        color: Number.parseInt(colors[tone].slice(1), 16),
        author: { name: sender.name, url: sender.link, icon_url: sender.avatar },
      },
    ],
  };
}

/** Microsoft Teams: a card of an Office 365 connector. */
export function teamsBody(message: ChatMessage): object {
  const { title, lines, quote, sender, tone } = message;
  const text = [...lines.map(({ text }) => text), ...(quote === "" ? [] : [quote])]
    .map(escapeHtml)
    .join("<br>");
  return {
    "@type": "MessageCard",
    "@context": "https://schema.org/extensions",
    themeColor: colors[tone].slice(1),
    title: escapeHtml(title.text),
    summary: withoutTags(title.text),
    sections: [{ activityTitle: escapeHtml(sender.name), activityImage: sender.avatar, text }],
    potentialAction:
      title.link === ""
        ? []
        : [{ "@type": "OpenUri", name: "Open", targets: [{ os: "default", uri: title.link }] }],
  };
}
