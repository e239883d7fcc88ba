import { accessMode, modeOf } from "#core/access/modes";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Branch } from "#core/branch/branch";
import { isAmong, mayPushByRule } from "#core/branch-protection/allowed";
import { listBranchProtections } from "#core/branch-protection/branch-protection";
import type { BranchProtection } from "#core/branch-protection/branch-protection.table";
import { ruleFinder } from "#core/branch-protection/rule-for";
import type { Forge } from "#core/forge";
import { MatchTime } from "#core/pattern/match-time";
import { viewOf } from "../../http/answer/view.ts";
import { peopleOf } from "../commit/people.ts";
import { type BranchRule, presentBranch } from "./present.ts";
import type { BranchJson } from "./schema.ts";

/** A request whose answer shows branches. */
interface BranchRequest {
  readonly forge: Forge;
  readonly actor: Actor | undefined;
  readonly access: RepositoryAccess;
}

/** Branches as JSON, in their order: with their rules, and the accounts of their people. */
export async function showBranches(
  request: BranchRequest,
  branches: readonly Branch[],
): Promise<BranchJson[]> {
  if (branches.length === 0) return [];
  const { forge, access } = request;
  const [people, rules] = await Promise.all([
    peopleOf(request, branches),
    listBranchProtections(forge, access.repository.id),
  ]);
  const ruleOf = ruleFinder(rules, new MatchTime({ mostMs: Number.POSITIVE_INFINITY }));
  const found = [];
  for (const branch of branches) found.push({ branch, rule: await ruleOf(branch.name) });
  return Promise.all(
    found.map(async ({ branch, rule }) =>
      presentBranch(viewOf(request), access, { branch, people }, await judged(request, rule)),
    ),
  );
}

/** The one branch as JSON. */
export async function showBranch(request: BranchRequest, branch: Branch): Promise<BranchJson> {
  const [json] = await showBranches(request, [branch]);
  return json as BranchJson;
}

/** The rights of a caller with or without write rights on a branch with such a rule. */
async function judged(
  { forge, actor, access }: BranchRequest,
  rule: BranchProtection | undefined,
): Promise<BranchRule> {
  const mayWrite = modeOf(access.rights, "code") >= accessMode.write;
  if (rule === undefined || actor === undefined || !mayWrite) {
    return { rule, mayPush: mayWrite, mayMerge: mayWrite };
  }
  const { ownerId } = access.repository;
  const mayPush = await mayPushByRule(forge, ownerId, actor, rule);
  const mayMerge = rule.mergers === undefined || (await isAmong(forge, ownerId, actor, rule.mergers));
  return { rule, mayPush, mayMerge };
}
