import { setTimeout as pause } from "node:timers/promises";

/**
 * Waits until `holds` answers true: for about as long as a test may take, since how long it takes says nothing but how
 * busy the machine is. Throws then.
 */
export async function until(holds: () => Promise<boolean> | boolean, timeoutMs = 100_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("waited in vain");
    await pause(10);
  }
}
