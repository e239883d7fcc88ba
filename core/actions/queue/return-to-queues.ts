import type { Forge } from "../../forge.ts";
import { listUnfinished } from "../run/cancel-unfinished.ts";
import { returnToQueues } from "./waiting.ts";

/** Puts the runs of a repository that has Actions again back into the queues. May be repeated. */
export async function returnAllToQueues(forge: Forge, repositoryId: number): Promise<void> {
  for (let page = 1; ; page += 1) {
    const runs = await listUnfinished(forge, repositoryId, {}, page);
    for (const run of runs) await returnToQueues(forge, run);
    if (runs.length === 0) return;
  }
}
