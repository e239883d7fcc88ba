import { lacksSignature } from "../../branch-protection/judge-merge.ts";
import { landChanges } from "../../code/land.ts";
import { isForgeError, notApplicable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { packOfNew } from "../../git/merge/new-objects.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import type { RefSnapshot } from "../../git/store/refs/snapshot.ts";
import { followIssueChange, type IssueChange, writesOfIssueChange } from "../../issue/change/change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import { issueKey } from "../../issue/issue.table.ts";
import { type MergePush, pushToRepository } from "../../repository/push.ts";
import { equals } from "../../table/condition.ts";
import { put } from "../../table/write.ts";
import type { PullRequest } from "../pull.table.ts";
import { newestCommon } from "../sides.ts";
import { type AfterMerge, dueAfterMerge } from "./after-merge.ts";
import { requireMergeable } from "./check.ts";
import { type DoneMerge, planMerged } from "./merged.ts";
import { findRule, type Merging } from "./protection.ts";
import type { StyledMerge } from "./wanted.ts";

/**
 * Moves the base to the new tip and marks the request as merged, in one transaction, like a push of the merging user.
 * Undefined when the base, the head or the request has changed: nothing happened. Throws what forbids the merge when a
 * rule came in between. `leftMs`: the time that is left, looked at once more right before the transaction; it throws
 * when there is none.
 */
export async function landMerge(
  forge: Forge,
  merging: Merging,
  wanted: StyledMerge,
  tip: ObjectId,
  leftMs: () => number,
): Promise<AfterMerge | undefined> {
  const { access, actor, pull, code, baseId } = merging;
  await requireSigned(forge, merging, tip);
  const change = { name: branchPrefix + pull.pull.base, old: baseId, new: tip };
  const mergeBase = await newestCommon(code, baseId, pull.pull.headId);
  const merge = new LandedMerge(forge, merging, wanted, { commitId: tip, mergeBase }, leftMs);
  const isMade = tip !== pull.pull.headId;
  const pack = isMade ? { pack: await packOfNew(code.history, [tip]) } : {};
  const refs = { changes: [change], isAtomic: true, source: "create" as const, budgetMs: leftMs(), ...pack };
  try {
    const landing = await landChanges(forge, pull.repositoryId, [change], () =>
      pushToRepository(forge, access.repository, actor, refs, { merge }),
    );
    return landing.kind === "landed" ? await merge.follow() : undefined;
  } catch (error) {
    if (merge.hasMoved) return undefined;
    throw isForgeError(error, "forbidden") ? notApplicable(error.message) : error;
  }
}

async function requireSigned(forge: Forge, { rule, code, baseId }: Merging, tip: ObjectId): Promise<void> {
  if (rule === undefined || !(await lacksSignature(forge, rule, { code, baseId, headId: tip }))) return;
  throw notApplicable("the base takes signed commits only, and the merge would bring others");
}

/** A merge while its transaction is tried. */
class LandedMerge implements MergePush {
  hasMoved = false;
  readonly #forge: Forge;
  readonly #merging: Merging;
  readonly #wanted: StyledMerge;
  readonly #done: DoneMerge;
  readonly #leftMs: () => number;
  readonly #entryIds: ReturnType<typeof entryIds>;
  readonly #due: ReturnType<typeof dueAfterMerge>;
  #now: PullRequest | undefined;
  #change: IssueChange | undefined;

  constructor(forge: Forge, merging: Merging, wanted: StyledMerge, done: DoneMerge, leftMs: () => number) {
    this.#forge = forge;
    this.#merging = merging;
    this.#wanted = wanted;
    this.#done = done;
    this.#leftMs = leftMs;
    this.#entryIds = entryIds(forge);
    this.#due = dueAfterMerge(forge, merging, done.commitId, wanted);
  }

  /** Refuses when the request or its head has changed; judges anew when ROOT or the request was written. */
  async judge(_repository: unknown, snapshot: RefSnapshot): Promise<string | undefined> {
    const { pull, code } = this.#merging;
    this.#now = await this.#forge.table.get<PullRequest>(issueKey(pull.repositoryId, pull.number));
    this.hasMoved = !isSameRequest(pull, this.#now) || !isHeadAt(pull, snapshot);
    if (this.hasMoved) return "the pull request has changed meanwhile";
    if (snapshot.root.e === code.repository.root.e && this.#now?.v === pull.v) return undefined;
    const rule = await findRule(this.#forge, pull.repositoryId, pull.pull.base);
    const merging = { ...this.#merging, pull: this.#now ?? pull, rule };
    await requireMergeable(this.#forge, merging, this.#wanted);
    await requireSigned(this.#forge, merging, this.#done.commitId);
    return undefined;
  }

  async writes(repository: Parameters<typeof writesOfIssueChange>[1]) {
    const { actor } = this.#merging;
    if (this.#now === undefined) throw new Error("a merge lands that was not judged");
    this.#change = await planMerged(this.#forge, this.#now, this.#done, { actor, entryIds: this.#entryIds });
    this.#leftMs();
    const issueWrite = put(this.#change.issue, equals({ v: this.#now.v }));
    return [...writesOfIssueChange({ change: this.#change, issueWrite }, repository), this.#due.write];
  }

  /** After the transaction. */
  async follow(): Promise<AfterMerge> {
    if (this.#change !== undefined) await followIssueChange(this.#forge, this.#change);
    return this.#due.after;
  }
}

const isSameRequest = ({ pull }: PullRequest, now: PullRequest | undefined): boolean =>
  now !== undefined &&
  !now.isClosed &&
  now.pull.base === pull.base &&
  now.pull.headId === pull.headId &&
  now.pull.isDraft === pull.isDraft;

/** A head in the base's own repository may have been pushed to without anybody looking. */
function isHeadAt({ repositoryId, pull }: PullRequest, { refs }: RefSnapshot): boolean {
  if (pull.headRepositoryId !== repositoryId) return true;
  const branch = refs.find(branchPrefix + pull.head);
  return branch === undefined || branch.id === pull.headId;
}
