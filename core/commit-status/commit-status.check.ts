import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { type Item, put, remove } from "../table/write.ts";
import {
  type CommitStatus,
  type NewestStatus,
  type StatusHead,
  statusHeadKey,
  statusPartition,
} from "./commit-status.table.ts";

/** Invariant 28: what is known of all reports on a commit follows from them. */
async function checkStatuses(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const items = await forge.table.queryAll({ pk: statusPartition(repository.id) });
  const isHead = ({ sk }: Item) => sk.endsWith("#");
  const reports = new Map<string, CommitStatus[]>();
  for (const item of items) {
    if (isHead(item)) continue;
    const head = `${item.sk.split("#")[0]}#`;
    const rows = reports.get(head) ?? [];
    rows.push(item as CommitStatus);
    reports.set(head, rows);
  }
  const heads = new Map(items.filter(isHead).map((item) => [item.sk, item as StatusHead]));
  return [...new Set([...reports.keys(), ...heads.keys()])].flatMap((sk): Finding[] => {
    const [head, rows = []] = [heads.get(sk), reports.get(sk)];
    const key = statusHeadKey(repository.id, sk.slice(0, -1));
    const newest = [
      ...new Map(rows.map(({ context, index, state }) => [context, { context, index, state }])).values(),
    ];
    const last = rows.at(-1)?.index ?? 0;
    const expected: StatusHead = { ...key, last, newest, _v: 1 };
    if (head !== undefined && last > 0 && head.last === last && isSame(head.newest, newest)) return [];
    return [
      {
        invariant: 28,
        key: shownKey(key),
        problem: head === undefined ? "is missing" : "says otherwise than the commit's reports",
        remedy: rows.length === 0 ? "removes it: there are none" : "writes what follows from them",
        repair: mending([], rows.length === 0 ? remove(key, asRead(head)) : put(expected, asRead(head))),
      },
    ];
  });
}

const isSame = (told: readonly NewestStatus[], expected: readonly NewestStatus[]): boolean =>
  told.length === expected.length &&
  expected.every(({ context, index, state }) =>
    told.some((one) => one.context === context && one.index === index && one.state === state),
  );

export const commitStatusChecks: Checks = { live: [checkStatuses] };
