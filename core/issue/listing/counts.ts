import type { Forge } from "../../forge.ts";
import { type CountChanges, readRepositoryCounts } from "../../repository/counts.ts";
import type { CountName, Repository } from "../../repository/repository.table.ts";
import type { Issue, IssueKind } from "../issue.table.ts";

/** How many issues and pulls of a state and kind there are, all when absent, from the repository's counts. */
export const countMatching = async (forge: Forge, repository: Repository, asked: Counted): Promise<number> =>
  sumMatching(await readRepositoryCounts(forge, repository), asked);

interface Counted {
  readonly state?: "open" | "closed";
  readonly type?: "issue" | "pull";
}

/** Like `countMatching`, from counts that were read. */
export function sumMatching(counts: Readonly<Record<CountName, number>>, { state, type }: Counted): number {
  const names = (["open", "closed"] as const)
    .filter((one) => state === undefined || one === state)
    .flatMap((one): CountName[] => [
      ...(type === "pull" ? [] : [`${one}Issues` as const]),
      ...(type === "issue" ? [] : [`${one}Pulls` as const]),
    ]);
  return names.reduce((sum, name) => sum + counts[name], 0);
}

/** The change of a repository's counts for so many comments on an issue or a pull. */
export const commentCounts = ({ kind }: Pick<Issue, "kind">, by: number): CountChanges => ({
  [commentCountOf[kind]]: by,
});

/** The count of comments on each kind: separate, because not everybody may read both. */
export const commentCountOf = {
  issue: "issueComments",
  pull: "pullComments",
} as const satisfies Record<IssueKind, CountName>;
