import { accessMode, modeOf } from "../../access/modes.ts";
import { isAmong } from "../../branch-protection/allowed.ts";
import { hasOpenDependencies } from "../../dependency/dependency.ts";
import { conflict, notApplicable, notFound } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { MergeSettings } from "../../repository/repository.table.ts";
import { type Judgement, judgementKey, type PullRequest } from "../pull.table.ts";
import { type Merging, mayForce, protectionProblems } from "./protection.ts";
import type { PullMergeStyle, WantedMerge } from "./wanted.ts";

/** Throws for a request that is merged (405) or closed (NotFound). */
export function requireUnmerged({ number, isClosed, pull }: PullRequest): void {
  if (pull.merge !== undefined) throw notApplicable("the pull request is merged already");
  if (isClosed) throw notFound(`the pull request is closed [index: ${number}]`);
}

/**
 * Throws the first thing that forbids a merge, in the order of semantics §22.3: 405, and Conflict for a head that the
 * caller has not seen. `isScheduling`: it waits for the checks, so what the rule demands may come later.
 */
export async function requireMergeable(
  forge: Forge,
  merging: Merging,
  wanted: WantedMerge,
  { isScheduling = false } = {},
): Promise<void> {
  await requireMerger(forge, merging);
  const { access, pull } = merging;
  if (wanted.style !== "manually-merged") {
    if (pull.pull.isDraft) throw notApplicable("the pull request is not ready: its title says so");
    await requireNoConflict(forge, merging);
    const isForced = isScheduling || (wanted.isForced === true && mayForce(merging));
    if (!isForced) await requireProtection(forge, merging);
    if (await hasOpenDependencies(forge, access, pull)) {
      throw notApplicable("the pull request waits for others that are open");
    }
  }
  if (!isStyleAllowed(access.repository.merge, wanted.style)) {
    throw notApplicable(`the repository does not allow this way to merge [style: ${wanted.style}]`);
  }
  if (wanted.headId !== undefined && wanted.headId !== pull.pull.headId) {
    throw conflict(`the head is another commit by now [head: ${pull.pull.headId}]`);
  }
}

async function requireMerger(forge: Forge, { access, actor, rule }: Merging): Promise<void> {
  const { rights, repository } = access;
  const isWriter = modeOf(rights, "code") >= accessMode.write;
  const isMerger = rule?.mergers === undefined || isAmong(forge, repository.ownerId, actor, rule.mergers);
  if (!isWriter || !(await isMerger)) throw notApplicable("you may not merge into this branch");
}

/** What is known already: the merge itself finds the rest. */
async function requireNoConflict(forge: Forge, { pull, baseId }: Merging): Promise<void> {
  const known = await forge.table.get<Judgement>(judgementKey(pull.repositoryId, pull.number));
  if (known?.state !== "conflict" || known.baseId !== baseId || known.headId !== pull.pull.headId) return;
  throw notApplicable("the pull request can't be merged: it conflicts with the base");
}

async function requireProtection(forge: Forge, merging: Merging): Promise<void> {
  const problems = await protectionProblems(forge, merging);
  if (problems.length === 0) return;
  const { ruleName = "" } = merging.rule ?? {};
  throw notApplicable(`the base is protected by the rule ${ruleName}: ${problems.join("; ")}`);
}

const isStyleAllowed = (settings: MergeSettings, style: PullMergeStyle): boolean =>
  ({
    merge: settings.allowMergeCommits,
    rebase: settings.allowRebase,
    "rebase-merge": settings.allowRebaseExplicit,
    squash: settings.allowSquashMerge,
    "fast-forward-only": settings.allowFastForwardOnlyMerge,
    "manually-merged": settings.allowManualMerge === true,
  })[style];
