import { describe, expect, it } from "vitest";
import { mailHead } from "#core/git/diff/mail/mail-head";
import { type MailToHead, mailHeadTask } from "#core/git/diff/mail/mail-head-task";
import { ownMs } from "#tests/support/thread-time";

const author = { name: "Mallory", email: "m@example.com", seconds: 1_700_000_000, timezone: "+0000" };
const mail = (more: Partial<MailToHead>): MailToHead => ({
  ...{ id: "1".repeat(40), author, text: "one\n", place: { number: 1, of: 1 } },
  ...more,
});

describe("the head of a commit's mail", () => {
  it("takes milliseconds for a message of line feeds (a minute before)", () => {
    const lines = mail({ text: `one\n\n${"\n".repeat(900_000)}two\n${"\n".repeat(90_000)}` });
    expect(mailHead(lines).endsWith("Subject: [PATCH] one\n\ntwo\n")).toBe(true);
    expect(ownMs(() => mailHead(lines))).toBeLessThan(1_000);
  });

  it.each([
    ["message", mail({ text: "é".repeat(500_000) })],
    ["name", mail({ author: { ...author, name: "é".repeat(500_000) } })],
  ])("is written on a thread when its %s is long", (_what, long) => {
    expect(mailHeadTask.isSmall?.(long)).toBe(false);
    expect(mailHeadTask.isSmall?.(mail({}))).toBe(true);
  });
});
