import { attempts } from "../attempts.ts";
import { unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { parseCommit } from "../git/object/commit.ts";
import { type OpenRepository, openRepository } from "../git/store.ts";
import { History } from "../git/walk/history.ts";
import { cardKey, type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, any, below, exists, put, update } from "../table.ts";
import { countTree } from "./count-tree.ts";
import { type Languages, languagesKey } from "./language.table.ts";

const mostAttempts = 5;

/**
 * Brings what is known of a repository's languages to what its default branch holds now: for the worker, after a push
 * or a change of that branch. Nothing happens where that is known already, or the repository is gone. Of two at once
 * the one that saw the newer refs wins, so that it bears repetition in any order.
 */
export async function recount(forge: Forge, repositoryId: number): Promise<void> {
  const [opened, known] = await Promise.all([
    openRepository(forge, repositoryId),
    forge.table.get<Languages>(languagesKey(repositoryId)),
  ]);
  if (opened === undefined) return;
  const commitId = opened.refs.find(opened.root.head)?.id ?? "";
  if (commitId === (known?.commitId ?? "") || (known?.edition ?? 0) >= opened.root.e) return;
  const counted: Languages = {
    ...languagesKey(repositoryId),
    ...{ commitId, edition: opened.root.e },
    sizes: commitId === "" ? [] : await sizesOf(opened, commitId),
    _v: 1,
  };
  for await (const _attempt of attempts(mostAttempts))
    if (await isStored(forge, repositoryId, counted)) return;
  throw unavailable("the repository is too busy for its languages to be noted");
}

async function sizesOf(opened: OpenRepository, commitId: string): Promise<Languages["sizes"]> {
  const history = new History(await opened.packs());
  const { type, data } = await history.object(commitId);
  return type === "commit" ? countTree(history, parseCommit(data).tree) : [];
}

/** Whether there is nothing left to do: it is stored, something newer is, or the repository is gone. */
async function isStored(forge: Forge, repositoryId: number, counted: Languages): Promise<boolean> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return true;
  const card = { set: { language: counted.sizes[0]?.[0] ?? "" }, add: { v: 1 } };
  const outcome = await forge.table.transact([
    put(counted, any(absent, below({ edition: counted.edition }))),
    update(cardKey(repository.ownerId, repositoryId), card, exists), // where it is no more: handed over
  ]);
  return outcome.committed || outcome.failed.includes(0);
}
