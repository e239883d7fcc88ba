import {
  type CommitStatus,
  type NewestStatus,
  type StatusHead,
  statusHeadKey,
  statusPartition,
} from "../commit-status/commit-status.table.ts";
import type { Forge } from "../forge.ts";
import { check, type Item, keyText, put, remove } from "../table/write.ts";
import {
  type TagPatternGuard,
  type TagProtection,
  tagPatternKey,
  tagPatternPrefix,
  tagProtectionKey,
  tagProtectionPrefix,
} from "../tag-protection/tag-protection.table.ts";
import { asRead, type Finding, mending, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

/** Invariant 28: what is known of all reports on a commit follows from them. */
export async function checkStatuses(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
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

/** Invariant 29: each rule over tags holds its pattern, and no pattern is held for nobody. */
export function checkTagProtections({ repository, items }: RepositoryFacts): Finding[] {
  const rules = items.filter(({ sk }) => sk.startsWith(tagProtectionPrefix)) as TagProtection[];
  const guards = new Map(
    items
      .filter(({ sk }) => sk.startsWith(tagPatternPrefix))
      .map((one) => [keyText(one), one as TagPatternGuard]),
  );
  const unguarded = rules.flatMap((rule): Finding[] => {
    const key = tagPatternKey(repository.id, rule.namePattern);
    const guard = guards.get(keyText(key));
    guards.delete(keyText(key));
    if (guard?.id === rule.id) return [];
    const problem =
      guard === undefined ? `is missing; it is of rule ${rule.id}` : `is of rule ${guard.id}, not ${rule.id}`;
    const remedy = "writes it";
    const repair = mending([check(rule, asRead(rule))], put({ ...key, id: rule.id, _v: 1 }, asRead(guard)));
    return [{ invariant: 29, key: shownKey(key), problem, remedy, repair }];
  });
  const idle = [...guards.values()].map((guard): Finding => {
    const problem = `keeps a pattern for rule ${guard.id}, which has another or is not there`;
    const rule = rules.find(({ id }) => id === guard.id);
    const repair = mending(
      [check(tagProtectionKey(repository.id, guard.id), asRead(rule))],
      remove(guard, asRead(guard)),
    );
    return { invariant: 29, key: shownKey(guard), problem, remedy: "removes it", repair };
  });
  return [...unguarded, ...idle];
}
