import { onTestFinished, vi } from "vitest";

/**
 * Lets no time pass by `performance.now` until the test ends: what many do at once, or what is much, ends by no bound of
 * real time then, which would only show how fast the machine is.
 */
export function holdTimeStill(): void {
  const still = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => still.mockRestore());
}
