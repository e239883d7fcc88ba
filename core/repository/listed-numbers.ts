import type { Forge } from "../forge.ts";
import type { Item } from "../table.ts";
import { withOtherCounts } from "./counts.ts";
import { numbersOf, type Repository, type RepositoryNumbers, shardsOf } from "./repository.table.ts";
import { keepNumbers } from "./sealed-numbers.ts";
import { quietMs, requestSealing } from "./sealing.ts";

/**
 * The numbers of the repositories on a page, by id, from what was read of their counts and cards. Keeps those that are
 * sealed under the version of the activity that the directory had before, and asks for sealing of repositories that have
 * been quiet for long and are not sealed.
 */
export async function readNumbers(
  forge: Forge,
  repositories: readonly Repository[],
  read: ReadonlyMap<string, Item>,
  activityOf: (repositoryId: number) => number | undefined,
): Promise<ReadonlyMap<number, RepositoryNumbers>> {
  const all = new Map<number, RepositoryNumbers>();
  if (repositories.length === 0) return all;
  const found = await withOtherCounts(forge.table, repositories, read, 1);
  const quietSince = forge.clock.now() - quietMs;
  const quiet: number[] = [];
  for (const repository of repositories) {
    const { id, updatedAt } = repository;
    const numbers = numbersOf(repository, found);
    const activity = activityOf(id);
    all.set(id, numbers);
    if (activity === undefined || shardsOf(repository, found) > 1) continue;
    if (keepNumbers(forge.table, repository, found, { activity, numbers })) continue;
    const lastMs = Math.max(activity, 1_000 * Math.max(updatedAt, numbers.pushedAt));
    if (lastMs < quietSince) quiet.push(id);
  }
  await requestSealing(forge, quiet);
  return all;
}
