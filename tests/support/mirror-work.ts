import { setTimeout as pause } from "node:timers/promises";
import { mirrorWorker } from "#functions/workers/mirrors";
import type { TestForge } from "./forge.ts";

/** Looking all the time would take the thread from the request. */
const lookEveryMs = 10;

type World = Pick<TestForge, "forge" | "queues">;

/** Hands what is on the queue of mirrors to its worker, until nothing is left there. */
export async function workOnMirrors({ forge, queues }: World): Promise<void> {
  for (;;) {
    const { done, failed } = await queues.drain("mirrors", (event) => mirrorWorker(forge, event));
    if (done + failed === 0) return;
  }
}

/** Does the same for as long as a request waits for it, which itself looks at times only whether that is done. */
export async function whileWorking<T>(world: World, request: Promise<T>): Promise<T> {
  let isWaiting = true;
  const asked = request.finally(() => {
    isWaiting = false;
  });
  // Whoever awaits `asked` below hears of its failure.
  asked.catch(() => undefined);
  while (isWaiting) {
    await workOnMirrors(world);
    await pause(lookEveryMs);
  }
  return asked;
}
