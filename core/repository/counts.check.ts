import { commentCountsIn } from "../comment/checked-entries.ts";
import type { Forge } from "../forge.ts";
import { issuesIn } from "../issue/checked-issues.ts";
import { commentCountOf } from "../issue/listing/counts.ts";
import { agreed, type Finding, type Repair, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { type StarOrWatch, starAndWatchPrefixes } from "../star-watch/star-watch.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, type Item, keyText, type TableKey, update } from "../table/write.ts";
import { splitCounts } from "./counts.ts";
import {
  type CountName,
  countKeys,
  countsKey,
  countsPrefix,
  forkPrefix,
  type Repository,
  type RepositoryCounts,
  repositoryKey,
  repositoryPartition,
} from "./repository.table.ts";

/** The counts of a repository that its issues, comments, forks, stars, watches and releases make. */
const countedHere = [
  "openIssues",
  "closedIssues",
  "openPulls",
  "closedPulls",
  "issueComments",
  "pullComments",
  "forks",
  "stars",
  "watchers",
  "releases",
] as const;

type Counted = Readonly<Record<(typeof countedHere)[number], number>>;

/** Invariant 11: the sum of the counts is what there is. */
export function checkCounts(facts: RepositoryFacts): Finding[] {
  const { repository, items } = facts;
  const parts = items.filter((item) => item.sk.startsWith(countsPrefix)) as RepositoryCounts[];
  const expected = countedIn(facts);
  const shards = shardsIn(repository, parts);
  const hidden = parts.filter((part) => Number(part.sk.slice(countsPrefix.length)) >= shards);
  const unread = hidden.map(
    (part): Finding => ({
      invariant: 11,
      key: shownKey(part),
      problem: `lies behind the ${shards} parts that are read`,
      remedy: "splits the counts for good",
      repair: async (forge) => (await splitCounts(forge, repository.id, shards)) > shards,
    }),
  );
  const repair: Repair = (forge) => recount(forge, facts);
  const wrong = countedHere.flatMap((name): Finding[] => {
    const sum = sumOf(parts, name);
    if (sum === expected[name]) return [];
    const problem = `${name} counts ${sum}, there are ${expected[name]}`;
    const key = shownKey(countsKey(repository.id, 0));
    return [{ invariant: 11, key, problem, remedy: "counts anew", repair }];
  });
  return [...unread, ...wrong];
}

function countedIn(facts: RepositoryFacts): Counted {
  const { items } = facts;
  const comments = commentCountsIn(facts);
  const rows = (prefix: string) => items.filter(({ sk }) => sk.startsWith(prefix));
  const watches = rows(starAndWatchPrefixes.watch) as StarOrWatch[];
  const counted = {
    ...{ openIssues: 0, closedIssues: 0, openPulls: 0, closedPulls: 0, issueComments: 0, pullComments: 0 },
    forks: rows(forkPrefix).length,
    stars: rows(starAndWatchPrefixes.star).length,
    watchers: watches.filter(({ mode }) => mode !== "refused").length,
    releases: facts.released.releases.filter(({ isDraft }) => !isDraft).length,
  };
  for (const { number, kind, isClosed } of issuesIn(facts).values()) {
    counted[commentCountOf[kind]] += comments.get(number) ?? 0;
    if (kind === "issue") counted[isClosed ? "closedIssues" : "openIssues"] += 1;
    else counted[isClosed ? "closedPulls" : "openPulls"] += 1;
  }
  return counted;
}

const sumOf = (parts: readonly RepositoryCounts[], name: CountName): number =>
  parts.reduce((total, part) => total + (part[name] ?? 0), 0);

const shardsIn = ({ shards }: Repository, parts: readonly RepositoryCounts[]): number =>
  Math.max(shards, ...parts.map((part) => part.shards ?? 1));

/**
 * Counts anew and adds what is missing. Each change of a part moves its `changes`, so that none can come between the
 * counting and the write unseen.
 */
async function recount(
  forge: Forge,
  { repository: { id: repositoryId }, again }: RepositoryFacts,
): Promise<boolean> {
  const { table } = forge;
  const counted = await agreed(async () => {
    const items = await table.queryAll({ pk: repositoryPartition(repositoryId), prefix: countsPrefix });
    const facts = await again(forge);
    const parts = items as Item[] as RepositoryCounts[];
    return facts && { repository: facts.repository, parts, expected: countedIn(facts) };
  });
  if (counted === undefined) return false;
  const { repository, parts, expected } = counted;
  const found = new Map(parts.map((part) => [keyText(part), part]));
  const keys = countKeys({ id: repositoryId, shards: shardsIn(repository, parts) });
  const isAsCounted = (key: TableKey) => {
    const part = found.get(keyText(key));
    return part === undefined ? absent : equals({ changes: part.changes });
  };
  const [first = countsKey(repositoryId, 0), ...others] = keys;
  const missing = countedHere.map((name) => [name, expected[name] - sumOf(parts, name)] as const);
  const add = { ...Object.fromEntries(missing.filter(([, by]) => by !== 0)), changes: 1 };
  const outcome = await table.transact([
    check(repositoryKey(repositoryId), equals({ state: "live" })),
    ...others.map((key) => check(key, isAsCounted(key))),
    update(first, { add, setOnce: { _v: 1 } }, isAsCounted(first)),
  ]);
  return outcome.committed;
}
