import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import {
  type TagPatternGuard,
  type TagProtection,
  tagPatternKey,
  tagPatternPrefix,
  tagProtectionKey,
  tagProtectionPrefix,
} from "./tag-protection.table.ts";

/** Invariant 29: each rule over tags holds its pattern, and no pattern is held for nobody. */
function checkTagProtections({ repository, items }: RepositoryFacts): Finding[] {
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

export const tagProtectionChecks: Checks = { live: [(_, facts) => checkTagProtections(facts)] };
