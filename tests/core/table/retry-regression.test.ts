import { afterEach, describe, expect, it, vi } from "vitest";
import { isForgeError } from "#core/errors";
import { retryWithJitter } from "#core/table/internal/retry";

afterEach(() => vi.restoreAllMocks());

const broken = () => Object.assign(new Error("broken"), { code: "ECONNRESET" });
const outcomeOf = (run: Promise<unknown>) =>
  run.then(
    () => "sent",
    (error: unknown) => (isForgeError(error, "unavailable") ? "unavailable" : "another error"),
  );

describe("retryWithJitter", () => {
  it("sends nothing again once its time is over, even if the process stood still in between", async () => {
    let sent = 0;
    const run = retryWithJitter(8_000, async () => {
      sent += 1;
      const thawedAt = Date.now() + 11 * 60_000;
      setImmediate(() => vi.spyOn(Date, "now").mockReturnValue(thawedAt));
      throw broken();
    });
    expect(await outcomeOf(run)).toBe("unavailable");
    expect(sent).toBe(1);
  });

  it("ends in time although the clock is set back meanwhile", async () => {
    const setBackTo = Date.now() - 3_600_000;
    const run = retryWithJitter(150, async () => {
      vi.spyOn(Date, "now").mockReturnValue(setBackTo);
      throw broken();
    });
    expect(await outcomeOf(run)).toBe("unavailable"); // else it would go on for an hour
  });
});
