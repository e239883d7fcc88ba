import type { Forge } from "../forge.ts";
import { issueKind } from "../issue/checked-issues.ts";
import { type Issue, issueKey } from "../issue/issue.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent, equals } from "../table/condition.ts";
import { check, type Item, keyText, put, remove, type Write } from "../table/write.ts";
import { isRenamedBranch } from "./follow/renamed-branch.ts";
import { checkPullHeads, pullsIn } from "./head/heads.check.ts";
import {
  isPullRequest,
  type MergedPullRow,
  mergedPullKey,
  type OpenPullRow,
  openPullRows,
  type PullRequest,
  pullsPartition,
} from "./pull.table.ts";

type Row = Item & { readonly number: number };

/** A row that a request must have, and the request. */
interface Expected {
  readonly row: Row;
  readonly pull: Issue;
}

const isAsRead = ({ repositoryId, number, v }: Issue): Write =>
  check(issueKey(repositoryId, number), equals({ v }));

/**
 * Invariant 15: the rows of open requests lie where their base and their head are, those of merged ones name them, and
 * there are no others.
 */
async function checkPullRows({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const { id } = facts.repository;
  const pulls = pullsIn(facts);
  const all = await table.queryAll<Row>({ pk: pullsPartition(id) });
  const own = all.filter((row) => !isRenamedBranch(row));
  const foreign = own.filter((row): row is Row & OpenPullRow => isHeadRow(row) && row.repositoryId !== id);
  const expected = [
    ...pulls.flatMap(expectedRows),
    ...(await findPullsOf(table, foreign)).flatMap((pull) =>
      expectedRows(pull).filter(({ row }) => row.pk === pullsPartition(id)),
    ),
  ];
  const found = new Map([
    ...(await table.getAll<Row>(expected.map(({ row }) => row))),
    ...own.map((row) => [keyText(row), row] as const),
  ]);
  const known = new Set(expected.map(({ row }) => keyText(row)));
  const merged = new Set(pulls.filter(({ pull }) => pull.merge !== undefined).map(({ number }) => number));
  return [
    ...expected.flatMap((one) => missing(one, found.get(keyText(one.row)))),
    ...own
      .filter((row) => !known.has(keyText(row)) && !(isMergedHead(row) && merged.has(row.number)))
      .map((row) => needless(id, row)),
  ];
}

const isHeadRow = ({ sk }: Item): boolean => sk.startsWith("HEAD#");
/** The last one merged from a branch, by the times of the merges. */
const isMergedHead = ({ sk }: Item): boolean => sk.startsWith("MERGEDHEAD#");

function expectedRows(pull: PullRequest): Expected[] {
  const { repositoryId, number, isClosed } = pull;
  const { merge } = pull.pull;
  if (merge === undefined) return isClosed ? [] : openPullRows(pull).map((row) => ({ row, pull }));
  const row: MergedPullRow = { ...mergedPullKey(repositoryId, merge.commitId), number, _v: 1 };
  return [{ row, pull }];
}

/** The requests of other repositories that rows here name. */
async function findPullsOf(table: Forge["table"], rows: readonly OpenPullRow[]): Promise<PullRequest[]> {
  const found = await table.getAll<Issue>(
    rows.map(({ repositoryId, number }) => issueKey(repositoryId, number)),
  );
  return [...found.values()].filter(isPullRequest);
}

function missing({ row, pull }: Expected, found: Row | undefined): Finding[] {
  const isOther = found !== undefined && found.number !== row.number;
  // One commit may have merged several requests: the row names one of them.
  if (found !== undefined && (!isOther || row.sk.startsWith("MERGED#"))) return [];
  const problem = isOther ? `names request ${found.number}` : "is missing";
  return [
    {
      ...{ invariant: 15, key: shownKey(row), problem: `${problem}, ${shownKey(pull)} should have it` },
      remedy: "writes it",
      repair: mending([isAsRead(pull)], put(row, asRead(found))),
    },
  ];
}

function needless(id: number, row: Row): Finding {
  const { repositoryId = id } = row as Partial<OpenPullRow>;
  return {
    ...{ invariant: 15, key: shownKey(row), problem: `no request ${row.number} should have it` },
    remedy: "removes it",
    // A request that got the row meanwhile was written: the row is then another, or the request is.
    repair: async ({ table }) => {
      const issue = await table.get<Issue>(issueKey(repositoryId, row.number));
      const isStill = issue === undefined || !isPullRequest(issue) || !hasRow(issue, row);
      if (!isStill) return false;
      const unchanged =
        issue === undefined ? check(issueKey(repositoryId, row.number), absent) : isAsRead(issue);
      return (await table.transact([unchanged, remove(row, asRead(row))])).committed;
    },
  };
}

const hasRow = (pull: PullRequest, row: Row): boolean =>
  expectedRows(pull).some((one) => keyText(one.row) === keyText(row));

export const pullChecks: Checks = { reads: [issueKind], live: [checkPullRows, checkPullHeads] };
