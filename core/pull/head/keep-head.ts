import type { Actor } from "../../actor.ts";
import { packBetween } from "../../code/related-objects.ts";
import { defined } from "../../defined.ts";
import { conflict, notFound } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { newPackOf } from "../../git/ingest/take-pack.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { commitPush } from "../../git/store/push/commit-push.ts";
import type { PushRequest } from "../../git/store/push/push.ts";
import { rootKey } from "../../git/store/refs/refs.table.ts";
import { readSnapshot } from "../../git/store/refs/snapshot.ts";
import { takeLoan } from "../../git/store/shared-packs.ts";
import { ownerKey } from "../../owner/owner.table.ts";
import type { Owner } from "../../owner/owner.ts";
import { presentPackUsageWrites } from "../../quota/card-usage.ts";
import type { Repository } from "../../repository/repository.table.ts";
import { repositoryKey } from "../../repository/repository.table.ts";
import { equals } from "../../table/condition.ts";
import { check, type Write } from "../../table/write.ts";
import { type PullPart, type PullRequest, pullHeadRef } from "../pull.table.ts";
import type { PullSides } from "../sides.ts";

/** A move of the ref that keeps a request's head in the base's repository. */
export interface HeadMove {
  readonly pull: Pick<PullRequest, "repositoryId" | "number" | "pull">;
  readonly sides: PullSides;
  /** Where the ref points before; absent: nowhere. */
  readonly old?: ObjectId;
  readonly actor: Actor;
  /** The writes beside it; asked for anew after every lost race. */
  writes(): Promise<readonly Write[]>;
}

/**
 * Lets `refs/pull/<number>/head` name the head, in one transaction with the caller's writes; the base's repository has
 * all objects of it then, and both branches are there. False when the ref is not where it was, or a branch of the base's
 * repository is gone. NotFound when a repository, or a head elsewhere, is gone; Conflict when others always came first.
 */
export async function keepPullHead(forge: Forge, move: HeadMove): Promise<boolean> {
  const { repositoryId, number, pull } = move.pull;
  const name = pullHeadRef(number);
  const change = { name, new: move.sides.headId, ...defined({ old: move.old }) };
  const isOwn = pull.headRepositoryId === repositoryId;
  const needed = [pull.base, ...(isOwn ? [pull.head] : [])].map((branch) => branchPrefix + branch);
  const outcome = await withObjects(forge, move, (objects) => {
    const request: PushRequest = {
      changes: [change],
      pusherId: move.actor.user.id,
      source: "create",
      judge: ({ refs }) => [needed.some((one) => refs.find(one) === undefined) ? branchGone : undefined],
      async extraWrites({ grownBytes }) {
        if (isOwn) return move.writes(); // no bytes come with it
        const head = await presentHead(forge, pull, objects);
        return [
          ...(await presentPackUsageWrites(forge, repositoryId, grownBytes)),
          ...head,
          ...(await move.writes()),
        ];
      },
    };
    return commitPush(forge, repositoryId, { ...request, ...objects });
  });
  if (outcome.kind === "gone") throw notFound("the repository of the request was deleted meanwhile");
  if (outcome.kind === "busy") throw conflict("others write to this repository all the time: try again");
  return outcome.facts !== undefined;
}

const branchGone = "a branch of the request is gone";

/**
 * Checks for the transaction that a head branch of another repository is there. NotFound when it is not. Shared packs
 * come with the same check.
 */
async function presentHead(
  { table }: Forge,
  { headRepositoryId, head }: PullPart,
  { borrow }: Objects,
): Promise<Write[]> {
  const snapshot = await readSnapshot(table, headRepositoryId);
  const isThere = snapshot?.root.state === "live" && snapshot.refs.find(branchPrefix + head) !== undefined;
  if (!isThere) throw notFound(`${branchGone} [head: ${head}]`);
  return borrow === undefined ? [check(rootKey(headRepositoryId), equals({ e: snapshot.root.e }))] : [];
}

type Objects = Pick<PushRequest, "borrow" | "pack">;

/**
 * A request's objects, for the base's repository: those of a repository that everybody may read are shared, pack by
 * pack. From one that is not for everybody only what the head leads to is copied, because whoever has the id of an
 * object may read it wherever it lies.
 */
async function withObjects<T>(
  forge: Forge,
  { pull: { repositoryId, pull }, sides }: HeadMove,
  use: (objects: Objects) => Promise<T>,
): Promise<T> {
  const { headRepositoryId } = pull;
  if (headRepositoryId === repositoryId) return use({});
  if (await isForEverybody(forge, headRepositoryId)) {
    return use({ borrow: () => takeLoan(forge.table, repositoryId, headRepositoryId) });
  }
  const pack = await packBetween(sides.code.history, sides.headId, sides.baseId);
  try {
    return await use({ pack: newPackOf(pack) });
  } finally {
    await pack.dispose();
  }
}

/** Whether a repository may be read, and named, to anybody. */
export async function isForEverybody({ table }: Forge, repositoryId: number): Promise<boolean> {
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  if (repository === undefined || repository.isPrivate) return false;
  const owner = await table.get<Owner>(ownerKey(repository.ownerId));
  return owner?.visibility === "public";
}
