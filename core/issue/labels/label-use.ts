import type { Forge } from "../../forge.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import { issueIndex } from "../issue.index.ts";

/** How many issues and pulls of some repositories carry each label; unused ones are missing. */
export async function countLabelUse(
  forge: Forge,
  repositoryIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const use = new Map<number, number>();
  for (const id of repositoryIds) {
    await listFromIndex(forge, issueIndex(id), {
      filter: {
        accepts(labelIds) {
          for (const labelId of labelIds) use.set(labelId, (use.get(labelId) ?? 0) + 1);
          return false;
        },
      },
      ...{ sort: { by: "latest" }, page: 1, limit: 0 },
    });
  }
  return use;
}
