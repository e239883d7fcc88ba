import { entryKind } from "../comment/checked-entries.ts";
import type { Forge } from "../forge.ts";
import { type Root, rootKey } from "../git/store/refs/refs.table.ts";
import { readRoot } from "../git/store/refs/snapshot.ts";
import { issueKind } from "../issue/checked-issues.ts";
import type { Job } from "../jobs/job.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { withTotals } from "../quota/recount.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, put, remove, type TableKey, update, type Write } from "../table/write.ts";
import {
  gitIdsIn,
  type PlacedRepository,
  placed as placedOf,
  repositoriesIn,
  repositoryKind,
} from "./checked-repository.ts";
import { checkCounts } from "./counts.check.ts";
import { checkFork, checkForkGuards } from "./fork/forks.check.ts";
import {
  cardKey,
  isNameFree,
  type Repository,
  type RepositoryCard,
  type RepositoryNameGuard,
  repositoryKey,
  repositoryNameIsFree,
  repositoryNameKey,
} from "./repository.table.ts";

const nameKind = "O#<owner> / RN#<name>";
const cardKind = "O#<owner> / REPO#<repository>";
const jobKind = "JOB#<part> / <job>";

/** The repository still has this owner, this name and this state. */
const isCalledSo = ({ id, ownerId, name, isPrivate, state }: Repository): Write =>
  check(repositoryKey(id), equals({ ownerId, name, isPrivate, state }));
/** ROOT was not written since. */
const isUnwritten = (repositoryId: number, root: Root | undefined): Write =>
  check(rootKey(repositoryId), root === undefined ? absent : equals({ e: root.e }));

/** Invariant 2: a live repository has its name, its card and its ROOT. Invariant 3: a deleted one has none of them. */
async function checkIdentity(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id, ownerId, name, isPrivate, state } = repository;
  const [nameKey, ownCardKey] = [repositoryNameKey(ownerId, name), cardKey(ownerId, id)];
  const found = await forge.table.getAll([nameKey, ownCardKey]);
  const guard = found.get(keyText(nameKey)) as RepositoryNameGuard | undefined;
  const card = found.get(keyText(ownCardKey)) as RepositoryCard | undefined;
  const isNamed = guard?.repositoryId === id && guard.moved !== true;
  if (state === "deleting") return leftovers(repository, [isNamed ? guard : undefined, card]);
  const root = await readRoot(forge.table, id);
  const isCardRight = card?.name === name && card.isPrivate === isPrivate;
  return [
    ...(isNamed ? [] : [unnamed(repository, guard)]),
    ...(isCardRight ? [] : [wrongCard(repository, card, root)]),
    ...(root?.state === "live" ? [] : [withoutRoot(repository, root)]),
  ];
}

function unnamed(repository: Repository, guard: RepositoryNameGuard | undefined): Finding {
  const { id, ownerId, name } = repository;
  const key = repositoryNameKey(ownerId, name);
  const found = { invariant: 2, key: shownKey(key) };
  if (!isNameFree(guard)) {
    const problem = `leads to repository ${guard?.repositoryId}; repository ${id} has this name`;
    return { ...found, problem, remedy: "rename one of the two" };
  }
  return {
    ...found,
    problem: `is missing; repository ${id} has this name`,
    remedy: "writes the guard of the name",
    repair: mending([isCalledSo(repository)], put({ ...key, repositoryId: id, _v: 1 }, repositoryNameIsFree)),
  };
}

function wrongCard(
  repository: Repository,
  card: RepositoryCard | undefined,
  root: Root | undefined,
): Finding {
  const { id, ownerId, name, isPrivate } = repository;
  const key = cardKey(ownerId, id);
  const gitBytes = (root?.packs ?? []).reduce((sum, pack) => sum + pack.packBytes, 0);
  const kept = card ?? { ...key, repositoryId: id, gitBytes, pushedAt: 0, v: 0, _v: 1 };
  const mended = mending(
    [isCalledSo(repository), isUnwritten(id, root)],
    put({ ...kept, name, isPrivate, v: kept.v + 1 }, asRead(card)),
  );
  return {
    invariant: 2,
    key: shownKey(key),
    problem: card === undefined ? "is missing" : "is not what the repository says",
    remedy: "writes the card from the repository",
    repair: withTotals(ownerId, mended),
  };
}

const withoutRoot = ({ id }: Repository, root: Root | undefined): Finding => ({
  invariant: 2,
  key: `R#${id}#G / ROOT`,
  problem: root === undefined ? "is missing" : "is being deleted, the repository is not",
  remedy: "nothing derives it: restore it from a backup, or delete the repository",
});

const leftovers = (
  repository: Repository,
  left: readonly (RepositoryNameGuard | RepositoryCard | undefined)[],
): Finding[] =>
  left
    .filter((item) => item !== undefined)
    .map((item) => ({
      invariant: 3,
      key: shownKey(item),
      problem: `is still there; repository ${item.repositoryId} is deleted`,
      remedy: "removes it",
      repair: withTotals(
        repository.ownerId,
        mending([isCalledSo(repository)], remove(item, equals({ repositoryId: repository.id }))),
      ),
    }));

/** Invariants 2 and 3: each name and each card is of a repository that is there, is called so, and is of this owner. */
function checkAstray(facts: TableFacts): Finding[] {
  const placed = repositoriesIn(facts);
  const repositoryNames = facts.all<RepositoryNameGuard>(nameKind);
  const cards = facts.all<RepositoryCard>(cardKind);
  const isOwn = (item: RepositoryNameGuard | RepositoryCard, keyFor: (one: PlacedRepository) => TableKey) => {
    const repository = placed.get(item.repositoryId);
    // Of one that is being deleted what is left is told with the repository.
    return repository !== undefined && keyText(keyFor(repository)) === keyText(item);
  };
  const astray = [
    ...repositoryNames.filter((guard) =>
      guard.moved === true
        ? !placed.has(guard.repositoryId)
        : !isOwn(guard, ({ ownerId, name }) => repositoryNameKey(ownerId, name)),
    ),
    ...cards.filter((card) => !isOwn(card, ({ ownerId }) => cardKey(ownerId, card.repositoryId))),
  ];
  return astray.map((item) => {
    const { repositoryId } = item;
    const found = placed.get(repositoryId);
    const isAsFound = found === undefined ? absent : equals({ ownerId: found.ownerId, name: found.name });
    return {
      invariant: found === undefined ? 3 : 2,
      key: shownKey(item),
      problem: `is of repository ${repositoryId}, which is not there or is called otherwise`,
      remedy: "removes it",
      repair: withTotals(
        ownerIdIn(item),
        mending([check(repositoryKey(repositoryId), isAsFound)], remove(item, equals({ repositoryId }))),
      ),
    };
  });
}

/** The owner in whose partition an item lies. */
const ownerIdIn = ({ pk }: TableKey): number => Number(pk.split("#")[1]);

/** Invariant 18: the card counts the bytes of the packs. */
async function checkSizes(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id, ownerId, state } = repository;
  const key = cardKey(ownerId, id);
  const [card, root] = await Promise.all([forge.table.get<RepositoryCard>(key), readRoot(forge.table, id)]);
  if (card === undefined || root === undefined || state !== "live") return [];
  const gitBytes = root.packs.reduce((sum, pack) => sum + pack.packBytes, 0);
  if (card.gitBytes === gitBytes) return [];
  const mended = update(key, { set: { gitBytes }, add: { v: 1 } }, equals({ v: card.v }));
  return [
    {
      invariant: 18,
      key: shownKey(key),
      problem: `counts ${card.gitBytes} bytes of packs, there are ${gitBytes}`,
      remedy: `sets it to ${gitBytes}`,
      repair: withTotals(ownerId, mending([isCalledSo(repository), isUnwritten(id, root)], mended)),
    },
  ];
}

/** Invariant 3: of a repository that is not there, nothing else is, unless a job is still at it. */
function checkOrphans(facts: TableFacts): Finding[] {
  const known = gitIdsIn(facts);
  const emptied = new Set(
    facts.all<Job>(jobKind).map((job) => (job.arguments as { repositoryId?: number }).repositoryId),
  );
  return [...facts.mentionedIds]
    .filter((id) => !known.has(id) && !emptied.has(id))
    .map((id) => ({
      invariant: 3,
      key: `R#${id}`,
      problem: "there are items of a repository that is not there",
      remedy: "left by a creation or a deletion that was stopped; they take room and nothing else",
    }));
}

export const repositoryChecks: Checks = {
  reads: [repositoryKind, nameKind, cardKind, jobKind, issueKind, entryKind],
  keeps: { [repositoryKind]: placedOf },
  table: [(_, facts) => checkAstray(facts), (_, facts) => checkOrphans(facts)],
  repository: [checkIdentity, checkSizes],
  live: [(_, facts) => checkCounts(facts), checkFork, checkForkGuards],
};
