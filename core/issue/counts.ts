import type { Forge } from "../forge.ts";
import type { CountName, Repository } from "../repository/repository.table.ts";
import { readCounts } from "../repository/repository.ts";

/** How many issues and pulls of a state and kind there are, all when absent, from the repository's counts. */
export async function countMatching(
  forge: Forge,
  repository: Repository,
  { state, type }: { readonly state?: "open" | "closed"; readonly type?: "issue" | "pull" },
): Promise<number> {
  const names = (["open", "closed"] as const)
    .filter((one) => state === undefined || one === state)
    .flatMap((one): CountName[] => [
      ...(type === "pull" ? [] : [`${one}Issues` as const]),
      ...(type === "issue" ? [] : [`${one}Pulls` as const]),
    ]);
  const counts = await readCounts(forge, repository);
  return names.reduce((sum, name) => sum + counts[name], 0);
}
