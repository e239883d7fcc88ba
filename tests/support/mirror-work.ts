import { setImmediate as nextTurn } from "node:timers/promises";
import { mirrorWorker } from "#functions/workers/mirrors";
import type { TestForge } from "./forge.ts";

type World = Pick<TestForge, "forge" | "queues">;

/** Hands what is on the queue of mirrors to its worker, until nothing is left there. */
export async function workOnMirrors({ forge, queues }: World): Promise<void> {
  for (;;) {
    const { done, failed } = await queues.drain("mirrors", (event) => mirrorWorker(forge, event));
    if (done + failed === 0) return;
  }
}

/** Does the same for as long as a request waits for it. */
export async function whileWorking<T>(world: World, request: Promise<T>): Promise<T> {
  let isWaiting = true;
  const asked = request.finally(() => {
    isWaiting = false;
  });
  // Whoever awaits `asked` below hears of its failure.
  asked.catch(() => undefined);
  while (isWaiting) {
    await workOnMirrors(world);
    await nextTurn();
  }
  return asked;
}
