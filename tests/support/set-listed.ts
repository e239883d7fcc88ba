import type { Forge } from "#core/forge";
import { issueIndex } from "#core/issue/issue.index";
import { type Issue, indexEntry, issueKey } from "#core/issue/issue.table";
import { deltaWrite } from "#core/list-index/list-index";
import { cardVisibilityWrites } from "#core/quota/card-usage";
import { repositoryIndex } from "#core/repository/repository.index";
import { type Repository, repositoryEntry, repositoryKey } from "#core/repository/repository.table";
import { type Item, put, type Write } from "#core/table/write";

/** Changes attributes of a repository beside its verbs, such as `units`, with its entry in the list index. */
export async function setRepository(
  { table }: Forge,
  id: number,
  set: Readonly<Partial<Repository>>,
): Promise<void> {
  const next = raised(await table.get<Repository>(repositoryKey(id)), set);
  const { isPrivate } = set;
  // A card counts the packs as those of a private repository, or of a public one.
  const onCard = isPrivate === undefined ? [] : await cardVisibilityWrites({ table }, next, { isPrivate });
  await commit(table, next, deltaWrite(repositoryIndex, id, repositoryEntry(next), next.v), onCard);
}

/** Changes attributes of an issue beside its verbs, with its entry in the list index. */
export async function setIssue(
  { table }: Forge,
  repositoryId: number,
  number: number,
  set: Readonly<Partial<Issue>>,
): Promise<void> {
  const next = raised(await table.get<Issue>(issueKey(repositoryId, number)), set);
  await commit(table, next, deltaWrite(issueIndex(repositoryId), number, indexEntry(next), next.v));
}

function raised<T extends Item & { readonly v: number }>(item: T | undefined, set: Partial<T>): T {
  if (item === undefined) throw new Error("what is to be changed is not there");
  return { ...item, ...set, v: item.v + 1 };
}

async function commit(
  table: Forge["table"],
  next: Item,
  entry: Write,
  others: readonly Write[] = [],
): Promise<void> {
  const { committed } = await table.transact([put(next), entry, ...others]);
  if (!committed) throw new Error("it was changed meanwhile");
}
