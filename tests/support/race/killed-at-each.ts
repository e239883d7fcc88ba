import { type Faults, SimulatedCrash } from "../faults.ts";

const mostWrites = 60;

/**
 * Kills the process before and after each write of a change in turn, and lets `check` look at what that has left; each
 * round has the next number, from 2 on. A kill before a write leaves what one after the former write leaves, unless others were
 * on their way: only then both are played. Answers after how many writes the change was done.
 */
export async function killedAtEach(
  { faults }: { readonly faults: Faults },
  change: (round: number) => Promise<unknown>,
  check: (round: number) => Promise<unknown>,
): Promise<number> {
  let round = 1;
  const killAt = async (write: number, when: "before" | "after") => {
    round += 1;
    faults.crashAt(write, when);
    await change(round).catch((error: unknown) => {
      if (!faults.hasCrashed) throw error;
    });
    const { hasCrashed, hasCrashedAmong } = faults;
    faults.recover();
    await check(round);
    return { isThrough: !hasCrashed, wasAmong: hasCrashedAmong };
  };
  for (let write = 1; write <= mostWrites; write += 1) {
    const { isThrough, wasAmong } = await killAt(write, "before");
    if (isThrough) return write;
    if (wasAmong) await killAt(write - 1, "after");
  }
  throw new SimulatedCrash();
}

/**
 * Plays rounds for a change that is dear to set up: killed before its second write, its fourth and so on, until one is
 * through, and after the write before those whenever others were on their way. Answers how many writes that took.
 */
export async function killedAtEverySecond(
  round: (write: number, when: "before" | "after") => Promise<Killed>,
): Promise<number> {
  for (let write = 2; write <= 2 * mostWrites; write += 2) {
    const { wasKilled, wasAmong } = await round(write, "before");
    if (!wasKilled) return write;
    if (wasAmong) await round(write - 1, "after");
  }
  throw new SimulatedCrash();
}

/** Whether the process was killed before a change was done, and whether other writes were on their way then. */
export interface Killed {
  readonly wasKilled: boolean;
  readonly wasAmong: boolean;
}

/** Starts the process again; tells how it ended. */
export function recovered(faults: Faults): Killed {
  const { hasCrashed: wasKilled, hasCrashedAmong: wasAmong } = faults;
  faults.recover();
  return { wasKilled, wasAmong };
}
