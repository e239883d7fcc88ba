import type { Forge } from "../forge.ts";
import type { Issue } from "../issue/issue.table.ts";
import { equals } from "../table/condition.ts";
import { type Item, keyText, remove, type TableKey, type Write } from "../table/write.ts";
import { mergedHeadKey } from "./head/merged-head.ts";
import { isPullRequest, mergedPullKey, type PullRequest, pullRowWrites } from "./pull.table.ts";

/** The writes that remove the rows of a request, in the transaction that removes it; none for an issue. */
export async function pullLeavingWrites({ table }: Forge, issue: Issue): Promise<Write[]> {
  if (!isPullRequest(issue)) return [];
  const keys = mergedKeys(issue);
  const found = keys.length === 0 ? new Map() : await table.getAll<Item & { number: number }>(keys);
  const { number } = issue;
  const own = keys.filter((key) => found.get(keyText(key))?.number === number);
  return [
    ...pullRowWrites(issue, { ...issue, isClosed: true }),
    ...own.map((key) => remove(key, equals({ number }))),
  ];
}

/** The rows that may name a merged request; a later one may have taken its place. */
function mergedKeys({ repositoryId, pull: { merge, head } }: PullRequest): TableKey[] {
  return merge === undefined
    ? []
    : [mergedPullKey(repositoryId, merge.commitId), mergedHeadKey(repositoryId, head)];
}
