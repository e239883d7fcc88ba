import { type Faults, SimulatedCrash } from "./faults.ts";

const mostWrites = 60;

/**
 * Kills the process before and after each write of a change in turn, and lets `check` look at what that has left; each
 * round has a number of its own. Answers after how many writes the change was done.
 */
export async function killedAtEach(
  { faults }: { readonly faults: Faults },
  change: (round: number) => Promise<unknown>,
  check: (round: number) => Promise<unknown>,
): Promise<number> {
  for (let write = 1; write <= mostWrites; write += 1) {
    for (const when of ["before", "after"] as const) {
      const round = 2 * write + (when === "after" ? 1 : 0);
      faults.crashAt(write, when);
      await change(round).catch((error: unknown) => {
        if (!faults.hasCrashed) throw error;
      });
      const isThrough = !faults.hasCrashed;
      faults.recover();
      await check(round);
      if (isThrough) return write;
    }
  }
  throw new SimulatedCrash();
}
