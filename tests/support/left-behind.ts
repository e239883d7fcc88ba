import type { Forge } from "#core/forge";
import { sequenceKey } from "#core/ids";
import { keyText, put } from "#core/table/write";

/** An id for a repository that nothing else in a table looks like. */
export const oddRepositoryId = 987_654_321;

/** Makes the next repository get `oddRepositoryId`, the one after it the next number. */
export async function makeNextRepositoryOdd({ table }: Forge): Promise<void> {
  await table.write(put({ ...sequenceKey("repository"), n: oddRepositoryId - 1 }));
}

/**
 * Everything that names a deleted repository anywhere in the table or in the bucket, by keys, except for what stays on
 * purpose. All items are read whole; bytes are not looked into: a compacted list index holds entries that a mark in its
 * delta says are gone.
 */
export async function findTracesOf({ table, blobs }: Forge, repositoryId: number): Promise<string[]> {
  const names = new RegExp(`(?<![0-9])0*${repositoryId}(?![0-9])`);
  const traces: string[] = [];
  for await (const items of table.scan({ segment: 0, of: 1 })) {
    for (const item of items) if (names.test(textOf(item))) traces.push(keyText(item));
  }
  for await (const { key } of blobs.list("")) if (names.test(key)) traces.push(key);
  const ownIssues = new RegExp(`^I#${repositoryId}\\.`);
  return traces.filter((key) => ownIssues.test(key) || !staying.some((pattern) => pattern.test(key)));
}

const staying = [
  /^SEQ#repository\0/, // the last id that was given
  /^DIR#repo\0T#/, // that it is gone, until the index is compacted
  /^(ARC#|archives\/)/, // for a day, reached by nobody
  /^DUE#attachment-files#/, // for a sweep, which finds no file
  /^I#\d+\.\d+\0C#/, // what happened to issues of other repositories, shown to nobody
];

const textOf = (item: object): string =>
  JSON.stringify(item, (_name, value) => (value instanceof Uint8Array ? undefined : value));
