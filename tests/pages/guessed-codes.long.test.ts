import { expect, it } from "vitest";
import { makeEnrolled } from "./enrolled.ts";
import { startPages } from "./site.ts";

it("429: bounds 1,000 tries of codes, from one address and from many, and spare codes go on", async () => {
  const site = await startPages();
  const { caller, spare, wrong } = await makeEnrolled(site.api);
  const browser = site.browser();
  const page = await site.signIn(browser, caller);
  const statuses = new Map<number, number>();
  const guesses = wrong(1000);
  for (let at = 0; at < guesses.length; at += 50) {
    const answers = await Promise.all(
      guesses.slice(at, at + 50).map((passcode, more) => {
        // Half of them from one address, the others each from its own.
        const other = site.browser();
        other.cookies.set("coldforge_visit", browser.cookies.get("coldforge_visit") ?? "");
        return (more % 2 === 0 ? browser : other).submit(page, { passcode });
      }),
    );
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  // Twice MAX_LOGIN_FAILURES count for the account, one of each fifty at least; the rest was refused before it was
  // looked at, or always lost to others.
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
