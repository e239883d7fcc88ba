import type { MailToHead } from "./mail-head-task.ts";
import { fromHeader, mailDate, subjectHeader } from "./mail-header.ts";

const mailStart = "Mon Sep 17 00:00:00 2001";

/** The mail's headers and the message, up to the three dashes. */
export function mailHead({ id, author, text: message, place }: MailToHead): string {
  const text = message.replace(/^\s*\n/, "");
  const { subject, body } = splitMessage(text);
  const lines = [
    `From ${id} ${mailStart}`,
    fromHeader(author),
    `Date: ${mailDate(author)}`,
    subjectHeader(`${prefixOf(place)} `, subject),
  ];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is beyond ASCII
  if (/[^\x00-\x7f]/.test(text)) {
    lines.push(
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=UTF-8",
      "Content-Transfer-Encoding: 8bit",
    );
  }
  return `${lines.join("\n")}\n\n${body === "" ? "" : `${body}\n`}`;
}

function prefixOf({ number, of }: { number: number; of: number }): string {
  return of === 1 ? "[PATCH]" : `[PATCH ${String(number).padStart(String(of).length, "0")}/${of}]`;
}

/** The first paragraph on one line, and the rest without blank lines around it. */
function splitMessage(text: string): { subject: string; body: string } {
  const lines = text.replace(/^(?:[ \t\r\f\v]*\n)+/, "").split("\n");
  const end = lines.findIndex((line) => line.trim() === "");
  const first = end < 0 ? lines : lines.slice(0, end);
  const rest = end < 0 ? [] : lines.slice(end);
  const body = rest.map((line) => line.trimEnd());
  const from = Math.max(
    0,
    body.findIndex((line) => line !== ""),
  );
  const to = body.findLastIndex((line) => line !== "") + 1;
  return { subject: first.map((line) => line.trim()).join(" "), body: body.slice(from, to).join("\n") };
}
