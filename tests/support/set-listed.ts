import { tailWrite } from "#core/directory/directory";
import { issueDirectory } from "#core/directory/issues";
import { repositoryDirectory } from "#core/directory/repositories";
import type { Forge } from "#core/forge";
import { directoryEntry, type Issue, issueKey } from "#core/issue/issue.table";
import { type Repository, repositoryEntry, repositoryKey } from "#core/repository/repository.table";
import { type Item, put, type Write } from "#core/table/write";

/** Changes attributes of a repository beside its verbs, such as `units`, with its entry in the directory. */
export async function setRepository(
  { table }: Forge,
  id: number,
  set: Readonly<Partial<Repository>>,
): Promise<void> {
  const next = raised(await table.get<Repository>(repositoryKey(id)), set);
  await commit(table, next, tailWrite(repositoryDirectory, id, repositoryEntry(next), next.v));
}

/** Changes attributes of an issue beside its verbs, with its entry in the directory. */
export async function setIssue(
  { table }: Forge,
  repositoryId: number,
  number: number,
  set: Readonly<Partial<Issue>>,
): Promise<void> {
  const next = raised(await table.get<Issue>(issueKey(repositoryId, number)), set);
  await commit(table, next, tailWrite(issueDirectory(repositoryId), number, directoryEntry(next), next.v));
}

function raised<T extends Item & { readonly v: number }>(item: T | undefined, set: Partial<T>): T {
  if (item === undefined) throw new Error("what is to be changed is not there");
  return { ...item, ...set, v: item.v + 1 };
}

async function commit(table: Forge["table"], next: Item, entry: Write): Promise<void> {
  if (!(await table.transact([put(next), entry])).committed) throw new Error("it was changed meanwhile");
}
