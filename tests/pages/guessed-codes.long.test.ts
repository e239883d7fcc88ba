import { expect, it } from "vitest";
import { makeEnrolled } from "./enrolled.ts";
import { startPages } from "./site.ts";

it("429: bounds 1,000 tries of codes, from one address and from many, and spare codes go on", async () => {
  const site = await startPages();
  const { caller, spare } = await makeEnrolled(site.api);
  const browser = site.browser();
  const page = await site.signIn(browser, caller);
  const statuses = new Map<number, number>();
  for (let at = 0; at < 1000; at += 50) {
    const codes = Array.from({ length: 50 }, (_, more) => String(at + more).padStart(6, "0"));
    const answers = await Promise.all(
      codes.map((passcode, more) => {
        // Half of them from one address, the others each from its own.
        const other = site.browser();
        other.cookies.set("coldforge_visit", browser.cookies.get("coldforge_visit") ?? "");
        return (more % 2 === 0 ? browser : other).submit(page, { passcode });
      }),
    );
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  // Twice MAX_LOGIN_FAILURES count for the account; the rest was refused before it was looked at, or unanswered.
  expect(statuses).toEqual(
    new Map([
      [403, 20],
      [429, 980],
    ]),
  );
  const late = site.browser();
  const answer = await late.submit(await site.signIn(late, caller), { passcode: spare[1] ?? "" });
  expect(answer.status).toBe(303);
});
