import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { issueKey, issuePartition, issueTombstoneKey } from "../issue/issue.table.ts";
import type { IssueAddress } from "../issue/placed-issues.ts";
import type { JobKind } from "../jobs/job.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { Item } from "../table/write.ts";
import { compactionMessage } from "../word-index/word-index.ts";
import { lifecycles } from "./registry.ts";

const itemsPerStep = 100;

const elsewhere = lifecycles.flatMap(({ ends }) => ends?.issue?.elsewhere ?? []);
const removals = lifecycles.flatMap(({ ends }) => Object.entries(ends?.issue?.removals ?? {}));

const readPage = ({ table }: Forge, { repositoryId, number }: IssueAddress) =>
  table.query<Item>({ pk: issuePartition(repositoryId, number), limit: itemsPerStep });

/** Begins after the items to remove are read: they show everything elsewhere that they lead to. */
async function leaveOthers(forge: Forge, address: IssueAddress): Promise<void> {
  for (const leave of elsewhere) await leave(forge, address);
}

/** Removes some items of an issue whose repository is being deleted. */
export async function removeIssuePage(forge: Forge, address: IssueAddress): Promise<PartStep> {
  const { items, next } = await readPage(forge, address);
  if (items.length > 0) await leaveOthers(forge, address);
  await forge.table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

/** Removes some of the content of a deleted issue; true when nothing is left. May be repeated, after a crash too. */
export async function clearSome(forge: Forge, address: IssueAddress): Promise<boolean> {
  const { repositoryId, number } = address;
  const { items, next } = await readPage(forge, address);
  if (items.some(({ sk }) => sk === issueKey(repositoryId, number).sk)) return true;
  await leaveOthers(forge, address);
  const removalOf = ({ sk }: Item) => removals.find(([prefix]) => sk.startsWith(prefix))?.[1];
  let areGone = true;
  for (const item of items) areGone = ((await removalOf(item)?.(forge, item, address)) ?? true) && areGone;
  await forge.table.removeAll(items.filter((item) => removalOf(item) === undefined));
  if (!areGone || next !== undefined) return false;
  await forge.table.removeAll([issueTombstoneKey(repositoryId, number)]);
  await send(forge, [compactionMessage(repositoryId)]);
  return true;
}

/** The job that follows the deletion of an issue. */
export const clearIssue: JobKind<IssueAddress, object> = {
  step: async (forge, address) => ((await clearSome(forge, address)) ? { done: true } : { cursor: {} }),
};
