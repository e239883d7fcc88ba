import { attempts } from "../concurrency/attempts.ts";
import { unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { parseCommitLinks } from "../git/history/commit-links.ts";
import { History } from "../git/history/history.ts";
import { MissingObject } from "../git/history/object-reader.ts";
import type { PackSet } from "../git/pack/pack-set.ts";
import { type OpenRepository, openRepository } from "../git/store/store.ts";
import { cardKey, type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, any, below, exists } from "../table/condition.ts";
import { put, update } from "../table/write.ts";
import { type CountedTree, countTree, type TreeSizes } from "./internal/count-tree.ts";
import { type Languages, languagesKey } from "./language.table.ts";

const mostAttempts = 5;
/** Raise it when other files count, or count for another language: then nothing is built on older counts. */
const countingRules = 1;

/**
 * Counts the languages of a repository's default branch as it is now: for the worker, after a push or a change of that
 * branch. It does nothing when they are known already, or the repository is gone. Of two at once the one with the newer
 * refs wins, so it may be repeated in any order.
 */
export async function recountLanguages(forge: Forge, repositoryId: number): Promise<void> {
  const [opened, known] = await Promise.all([
    openRepository(forge, repositoryId),
    forge.table.get<Languages>(languagesKey(repositoryId)),
  ]);
  if (opened === undefined) return;
  const commitId = opened.refs.find(opened.head)?.id ?? "";
  if (commitId === (known?.commitId ?? "") || (known?.edition ?? 0) >= opened.root.e) return;
  const counted: Languages = {
    ...languagesKey(repositoryId),
    ...{ commitId, edition: opened.root.e },
    ...(await sizesOf(opened, commitId, known)),
    _v: 1,
  };
  if (known !== undefined && firstOf(known) === firstOf(counted)) {
    // The card stays as it is. When this condition fails, something newer was counted, or nothing is there.
    await forge.table.write(put(counted, below({ edition: counted.edition })));
    return;
  }
  for await (const _attempt of attempts(mostAttempts))
    if (await isStored(forge, repositoryId, counted)) return;
  throw unavailable("the repository is too busy for its languages to be noted");
}

const firstOf = ({ sizes }: Languages): string => sizes[0]?.[0] ?? "";

type Counted = Pick<Languages, "sizes" | "rules">;

/** Starts from the last count when that is still valid: a push mostly changes few files of many. */
async function sizesOf(
  opened: OpenRepository,
  commitId: Languages["commitId"],
  known: Languages | undefined,
): Promise<Counted> {
  if (commitId === "") return { sizes: [] };
  const packs = await opened.packs();
  const tree = await treeOf(new History(packs), commitId);
  if (tree === undefined) return { sizes: [] };
  const before = await countedBefore(packs, known);
  const counted =
    (before && (await onTop(packs, tree, before))) ?? (await countTree(new History(packs), tree));
  return { sizes: counted.sizes, ...(counted.isCut ? {} : { rules: countingRules }) };
}

async function treeOf(history: History, commitId: ObjectId): Promise<ObjectId | undefined> {
  const { type, data } = await history.object(commitId);
  return type === "commit" ? parseCommitLinks(data).tree : undefined;
}

async function countedBefore(packs: PackSet, known: Languages | undefined): Promise<CountedTree | undefined> {
  if (known === undefined || known.commitId === "" || known.rules !== countingRules) return undefined;
  const history = new History(packs);
  const tree = history.has(known.commitId) ? await treeOf(history, known.commitId) : undefined;
  return tree === undefined ? undefined : { tree, sizes: known.sizes };
}

/** Undefined when a bound was met, or when objects of the former commit are gone. */
async function onTop(packs: PackSet, tree: ObjectId, before: CountedTree): Promise<TreeSizes | undefined> {
  try {
    const counted = await countTree(new History(packs), tree, before);
    return counted.isCut ? undefined : counted;
  } catch (error) {
    if (error instanceof MissingObject) return undefined;
    throw error;
  }
}

/** Whether nothing is left to do: the count is stored, something newer is, or the repository is gone. */
async function isStored(forge: Forge, repositoryId: number, counted: Languages): Promise<boolean> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return true;
  const card = { set: { language: firstOf(counted) }, add: { v: 1 } };
  const outcome = await forge.table.transact([
    put(counted, any(absent, below({ edition: counted.edition }))),
    update(cardKey(repository.ownerId, repositoryId), card, exists), // the owner changed: the repository was handed over
  ]);
  return outcome.committed || outcome.failed.includes(0);
}
