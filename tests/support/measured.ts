import { AsyncLocalStorage } from "node:async_hooks";
import { type Count, countInto, noUsage, type Usage } from "#core/meter";

const scope = new AsyncLocalStorage<Usage>();
let measuring = 0;

/** Runs `work` and counts what it asked of a test forge's services; nested scopes count for themselves alone. */
export async function measured<T>(work: () => Promise<T>): Promise<{ result: T; usage: Usage }> {
  const usage = noUsage();
  measuring += 1;
  try {
    return { result: await scope.run(usage, work), usage };
  } finally {
    measuring -= 1;
    if (measuring === 0) scope.disable(); // else every promise of this worker costs more from now on
  }
}

/** Counts for whoever measures at the moment: what the stores of test forges tell. */
export const countMeasured: Count = (operation, amounts) => {
  const usage = scope.getStore();
  if (usage !== undefined) countInto(usage)(operation, amounts);
};
