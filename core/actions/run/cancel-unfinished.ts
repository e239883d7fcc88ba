import type { Forge } from "../../forge.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import { keyText } from "../../table/write.ts";
import { type Run, runKey } from "../actions.table.ts";
import { cancelRun } from "../job/end-job.ts";
import { type RunFilter, runIndex } from "./run.index.ts";

/** The runs of a page. */
const atOnce = 100;

/** A page of the runs of a repository with something left to do, the newest first. */
export async function listUnfinished(
  forge: Forge,
  repositoryId: number,
  filter: RunFilter,
  page = 1,
): Promise<Run[]> {
  const query = {
    filter: { ...filter, isUnfinished: true },
    sort: "newest",
    page,
    limit: atOnce,
  } as const;
  const { ids } = await listFromIndex(forge, runIndex(repositoryId), query);
  const keys = ids.map((number) => runKey(repositoryId, number));
  const found = await forge.table.getAll<Run>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}

/** Cancels the runs of a repository that are not over and pass a test. */
export async function cancelUnfinished(
  forge: Forge,
  repositoryId: number,
  filter: RunFilter,
  test: (run: Run) => boolean = () => true,
): Promise<void> {
  const found: Run[] = [];
  for (let page = 1; ; page += 1) {
    const runs = await listUnfinished(forge, repositoryId, filter, page);
    if (runs.length === 0) break;
    found.push(...runs.filter(test));
  }
  for (const run of found) await cancelRun(forge, run);
}
