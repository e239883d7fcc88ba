/** How often others had their turn while this was done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  try {
    await work();
  } finally {
    clearImmediate(next);
  }
  return turns;
}

/**
 * The milliseconds that work takes of this process's own time, which other work on the machine does not lengthen: the
 * least of five runs, since the collector and the compiler take theirs at any moment.
 */
export function ownMs(work: () => void): number {
  const runs = Array.from({ length: 5 }, () => {
    const began = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}
