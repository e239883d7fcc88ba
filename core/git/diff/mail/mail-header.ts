import type { Identity } from "../../format/identity.ts";

/** Longest line of a header, and of a line with an encoded word (RFC 2047). */
const mostColumns = 78;
const mostEncoded = 76;

/** A line of text as a header's value; encoded when necessary, folded when long. */
export function subjectHeader(prefix: string, subject: string): string {
  const start = `Subject: ${prefix}`;
  return mustEncode(subject) ? encoded(start, subject, "text") : folded(start, subject);
}

/** A `From` header. */
export function fromHeader({ name, email }: Pick<Identity, "name" | "email">): string {
  let line: string;
  if (mustEncode(name)) line = encoded("From: ", name, "address");
  else if (/[()<>[\]:;@\\,."]/.test(name)) line = folded("From: ", `"${name.replace(/["\\]/g, "\\$&")}"`);
  else line = folded("From: ", name);
  const columns = line.length - (line.lastIndexOf("\n") + 1);
  return `${line}${columns + email.length + 3 > mostColumns ? "\n" : ""} <${email}>`;
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** When someone did something, in their own time zone (RFC 2822). */
export function mailDate({ seconds, timezone }: Pick<Identity, "seconds" | "timezone">): string {
  const zone = Number.parseInt(timezone, 10);
  const minutes = Math.trunc(zone / 100) * 60 + (zone % 100);
  const date = new Date((seconds + minutes * 60) * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  const day = `${days[date.getUTCDay()]}, ${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
  return `${day} ${date.getUTCFullYear()} ${time} ${timezone}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is beyond ASCII
const mustEncode = (text: string): boolean => /[^\x00-\x7f]|\n|=\?/.test(text);

/** Breaks between words; further lines begin with a space. */
function folded(start: string, text: string): string {
  let line = start;
  let columns = start.length;
  for (const [at, [whole, gap = "", word = ""]] of [...text.trimEnd().matchAll(/(\s*)(\S+)/g)].entries()) {
    if (at > 0 && columns + whole.length > mostColumns) {
      line += `\n ${gap.slice(1)}${word}`;
      columns = whole.length;
    } else {
      line += whole;
      columns += whole.length;
    }
  }
  return line;
}

/** Whether a byte may stand for itself in an encoded word; names of people are stricter. */
function isPlain(byte: number, kind: "text" | "address"): boolean {
  const character = String.fromCharCode(byte);
  return kind === "text" ? /[!-<>@-^`-~]/.test(character) : /[A-Za-z0-9!*+/-]/.test(character);
}

const opening = "=?UTF-8?q?";

function encoded(start: string, text: string, kind: "text" | "address"): string {
  let line = start + opening;
  let columns = line.length;
  for (const character of text) {
    const bytes = [...Buffer.from(character)];
    const isOne = bytes.length === 1 && isPlain(bytes[0] as number, kind);
    const piece = isOne
      ? character
      : bytes.map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
    if (columns + piece.length + 2 > mostEncoded) {
      line += `?=\n ${opening}`;
      columns = opening.length + 1;
    }
    line += piece;
    columns += piece.length;
  }
  return `${line}?=`;
}
