import { domainToASCII } from "node:url";

const longestAddress = 254;
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const hostPart = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * An address as it may stand in an SMTP command and a header: printable ASCII without anything that either would take
 * for syntax, its domain in Punycode. Undefined for any other, which gets no mail.
 */
export function mailableAddress(email: string): string | undefined {
  const at = email.lastIndexOf("@");
  const local = email.slice(0, Math.max(at, 0));
  if (local.length > 64 || !localPart.test(local)) return undefined;
  const host = domainToASCII(email.slice(at + 1)).toLowerCase();
  const address = `${local}@${host}`;
  return hostPart.test(host) && address.length <= longestAddress ? address : undefined;
}

/** A sender's name and address. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** The sender that `MAILER_FROM` names: an address alone, or behind a name in angle brackets; undefined for neither. */
export function parseSender(text: string): Sender | undefined {
  const [, name = "", inBrackets] = /^([^<>\p{Cc}]{0,100})<([^<>\s]+)>$/u.exec(text.trim()) ?? [];
  const address = mailableAddress(inBrackets ?? text.trim());
  return address === undefined ? undefined : { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
}

/**
 * A text of users as one line of a header: line breaks, control characters and marks that turn the direction of writing
 * become spaces, half characters a mark, and what is longer than `most` is cut off.
 */
export function oneLine(text: string, most: number): string {
  const line = text
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}

const longestText = 10_000;

/** A text of users as the part of a mail that people read: line breaks stay, and what is too long is cut off. */
export function mailText(text: string): { readonly text: string; readonly isCut: boolean } {
  const clean = text
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/\r\n?/g, "\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "");
  const isCut = clean.length > longestText;
  const kept = isCut ? clean.slice(0, longestText).replace(/[\ud800-\udbff]$/, "") : clean;
  return { text: kept.trim(), isCut };
}
