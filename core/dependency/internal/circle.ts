import { conflict, invalid } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { IssueAddress } from "../../issue/placed-issues.ts";
import { absent, equals } from "../../table/condition.ts";
import { check, keyText, put, type Write } from "../../table/write.ts";
import {
  type DependencyEpoch,
  type DependencyRow,
  dependenciesOf,
  dependencyEpochKey,
  isSameIssue,
} from "../dependency.table.ts";

/** The most issues, and repositories, that the search for a circle visits. */
const mostWalked = 500;
const mostRepositories = 50;

/**
 * Writes that keep a new dependency from closing a circle, for the transaction that adds it: they fail when somebody
 * added another one in the visited repositories meanwhile. Conflict when the other issue waits for this one already,
 * directly or not; 422 when that can't be told, because more than 500 issues or 50 repositories are connected.
 */
export async function writesAgainstCircles(
  forge: Forge,
  dependent: IssueAddress,
  on: IssueAddress,
): Promise<Write[]> {
  const epochs: Epochs = new Map();
  await readEpochs(forge, epochs, [dependent]);
  const seen = new Set([addressText(on)]);
  let next: readonly IssueAddress[] = [on];
  while (next.length > 0) {
    if (seen.size > mostWalked || epochs.size > mostRepositories) {
      throw invalid("Dependencies", `more than ${mostWalked} issues would wait for each other`);
    }
    await readEpochs(forge, epochs, next);
    const rows = await Promise.all(next.map((one) => forge.table.queryAll<DependencyRow>(waitedForBy(one))));
    if (rows.flat().some((row) => isSameIssue(row, dependent))) {
      throw conflict("the other one waits for this one: they would wait for each other");
    }
    const fresh = new Map(rows.flat().map((row) => [addressText(row), row]));
    next = [...fresh].flatMap(([text, row]) => (seen.has(text) ? [] : row));
    for (const text of fresh.keys()) seen.add(text);
  }
  return [...epochs].map(([repositoryId, v]) => {
    const key = dependencyEpochKey(repositoryId);
    const isAsRead = v === 0 ? absent : equals({ v });
    if (repositoryId !== dependent.repositoryId) return check(key, isAsRead);
    const risen: DependencyEpoch = { ...key, v: v + 1, _v: 1 };
    return put(risen, isAsRead);
  });
}

const waitedForBy = (issue: IssueAddress) => dependenciesOf(issue, "on");
const addressText = ({ repositoryId, number }: IssueAddress): string => `${repositoryId}.${number}`;

/** By repository; 0: none was added there yet. */
type Epochs = Map<number, number>;

/** Reads the epochs of repositories before the first row of theirs is. */
async function readEpochs({ table }: Forge, epochs: Epochs, near: readonly IssueAddress[]): Promise<void> {
  const ids = [...new Set(near.map(({ repositoryId }) => repositoryId))].filter((id) => !epochs.has(id));
  if (ids.length === 0) return;
  const found = await table.getAll<DependencyEpoch>(ids.map(dependencyEpochKey));
  for (const id of ids) epochs.set(id, found.get(keyText(dependencyEpochKey(id)))?.v ?? 0);
}
