import { findAccessById, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import {
  type EntryRow,
  entryPrefix,
  entryRowsPartition,
  type TimelineEntry,
} from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import { issueIndex } from "#core/issue/issue.index";
import { type Issue, indexEntry, issueKey, issuePartition } from "#core/issue/issue.table";
import { type NewLabel, newLabels } from "#core/label/label";
import type { Label } from "#core/label/label.table";
import { deltaWrite } from "#core/list-index/list-index";
import { createRepository } from "#core/repository/create";
import {
  type CountName,
  countsPrefix,
  type RepositoryCounts,
  repositoryPartition,
} from "#core/repository/repository.table";
import { put } from "#core/table/write";
import { createUser } from "#core/user/create";

/** An owner and the access to a fresh repository of theirs. */
export interface Tracker {
  readonly actor: Actor;
  readonly access: RepositoryAccess;
}

let made = 0;

/** Makes a user with a repository. */
export async function makeTracker(forge: Forge): Promise<Tracker> {
  made += 1;
  const name = `owner-${made}`;
  const user = await createUser(forge, { name, email: `${name}@example.com`, password: "long enough" });
  const actor = { user };
  const { id } = await createRepository(forge, actor, user, { name: "tracker" });
  return { actor, access: await accessAgain(forge, actor, id) };
}

/** The access as the next request reads it. */
export async function accessAgain(
  forge: Forge,
  actor: Actor,
  repositoryId: number,
): Promise<RepositoryAccess> {
  const access = await findAccessById(forge, actor, repositoryId);
  if (access === undefined) throw new Error("the repository is gone");
  return access;
}

/** A count, summed over all parts that exist. */
export async function sumOf(forge: Forge, repositoryId: number, name: CountName): Promise<number> {
  const parts = await forge.table.queryAll<RepositoryCounts>({
    pk: repositoryPartition(repositoryId),
    prefix: countsPrefix,
  });
  return parts.reduce((sum, part) => sum + (part[name] ?? 0), 0);
}

/** The items of one issue: itself, its timeline, and the rows of its repository's timeline entries. */
export async function stored(forge: Forge, repositoryId: number, number: number) {
  const pk = issuePartition(repositoryId, number);
  const [issue, entries, rows] = await Promise.all([
    forge.table.get<Issue>(issueKey(repositoryId, number)),
    forge.table.queryAll<TimelineEntry>({ pk, prefix: entryPrefix }),
    forge.table.queryAll<EntryRow>({ pk: entryRowsPartition(repositoryId) }),
  ]);
  return { issue, entries, rows: rows.filter((row) => row.issueNumber === number) };
}

/** Makes labels of a repository, named in the order of their ids unless `name` says otherwise; answers the ids. */
export async function makeLabels(
  forge: Forge,
  repositoryId: number,
  count: number,
  { name, ...given }: Partial<Omit<NewLabel, "name">> & { readonly name?: (at: number) => string } = {},
): Promise<number[]> {
  const nameOf = name ?? ((at) => `l${String(at).padStart(3, "0")}`);
  const all = Array.from({ length: count }, (_, at) => ({ color: "aabbcc", ...given, name: nameOf(at) }));
  const writes = await newLabels(forge, { kind: "repository", id: repositoryId }, all);
  await forge.table.transact(writes);
  return writes.flatMap((write) => ("put" in write ? (write.put as Label).id : []));
}

/** The ids of the labels in a timeline, in order, negative when they were taken off. */
export const labelsTold = (entries: readonly TimelineEntry[]): number[] =>
  entries
    .filter(({ type }) => type === "label")
    .map(({ labelId = 0, body }) => (body === "1" ? labelId : -labelId));

/**
 * The ids of labels, in order, that are left of those before by the entries: entries of rivals need not lie in the
 * order of their writing. One that comes or goes twice in a row shows as another number.
 */
export function leftBy(told: readonly number[], before: readonly number[] = []): number[] {
  const times = new Map<number, number>();
  for (const id of [...before, ...told]) {
    times.set(Math.abs(id), (times.get(Math.abs(id)) ?? 0) + Math.sign(id));
  }
  const left = [...times].filter(([, count]) => count !== 0).map(([id, count]) => id * count);
  return left.sort((one, other) => one - other);
}

/**
 * Writes `count` issues behind the given one, as many in one transaction as fit: alike except for number, title and
 * what `vary` says. No counts, no rows: for tests of lists.
 */
export async function fillWith(
  forge: Forge,
  like: Issue,
  count: number,
  vary: (number: number) => Partial<Issue> = () => ({}),
): Promise<void> {
  const { repositoryId } = like;
  const index = issueIndex(repositoryId);
  for (let done = 0; done < count; done += 50) {
    const numbers = Array.from(
      { length: Math.min(50, count - done) },
      (_, at) => like.number + 1 + done + at,
    );
    const filling = numbers.map((number): Issue => {
      const own = { ...issueKey(repositoryId, number), number, title: `Issue ${number}` };
      return { ...like, ...own, ...vary(number) };
    });
    await forge.table.transact(
      filling.flatMap((issue) => [put(issue), deltaWrite(index, issue.number, indexEntry(issue), issue.v)]),
    );
  }
}
