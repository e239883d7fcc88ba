/** Rules that protect tags: the verbs, and their judgment of a change. */

import type { Actor } from "../actor.ts";
import { isAmong } from "../branch-protection/allowed.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import {
  badRequest,
  conflict,
  type ForgeError,
  forbidden,
  invalid,
  notFound,
  unprocessable,
} from "../errors.ts";
import type { Forge } from "../forge.ts";
import { rejudgePushes } from "../git/store/store.ts";
import { nextId } from "../ids.ts";
import { MatchTime } from "../pattern/match-time.ts";
import { absent, equals } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import { tagPatternProblem, tagPatterns } from "./internal/pattern.ts";
import {
  type TagPatternGuard,
  type TagProtection,
  tagPatternKey,
  tagProtectionKey,
  tagProtectionsOf,
} from "./tag-protection.table.ts";

/** The content of a rule. */
export type TagRule = Pick<TagProtection, "namePattern" | "allowed">;

/** A transaction of a push asks for all of them. */
const mostRules = 100;
const mostAttempts = 10;

/** All rules of a repository, oldest first. */
export const listTagProtections = (
  { table }: Pick<Forge, "table">,
  repositoryId: number,
): Promise<TagProtection[]> => table.queryAll<TagProtection>(tagProtectionsOf(repositoryId));

/** The rule of this id. NotFound when the repository has none. */
export async function getTagProtection(
  forge: Forge,
  repositoryId: number,
  id: number,
): Promise<TagProtection> {
  const rule = await forge.table.get<TagProtection>(tagProtectionKey(repositoryId, id));
  if (rule === undefined) throw notFound(`there is no such tag protection [id: ${id}]`);
  return rule;
}

/** Makes a rule. BadRequest without a pattern or without anybody allowed; Forbidden when there is one of that pattern. */
export async function createTagProtection(
  forge: Forge,
  repositoryId: number,
  rule: TagRule,
): Promise<TagProtection> {
  const { namePattern, allowed } = rule;
  if (namePattern === "") throw badRequest("name_pattern is required: a glob such as v*, or /an expression/");
  if (allowed.userIds.length + allowed.teamIds.length === 0) {
    throw badRequest("whitelist_usernames or whitelist_teams has to name somebody");
  }
  const problem = await patternProblem(forge, namePattern);
  if (problem !== undefined) throw problem;
  const others = await listTagProtections(forge, repositoryId);
  if (others.length >= mostRules)
    throw unprocessable(`a repository takes at most ${mostRules} tag protections`);
  const now = nowSeconds(forge.clock);
  const id = await nextId(forge.table, "tag-protection");
  const made: TagProtection = {
    ...tagProtectionKey(repositoryId, id),
    ...{ id, namePattern, allowed, createdAt: now, updatedAt: now, v: 1, _v: 1 },
  };
  const outcome = await forge.table.transact([
    put(made, absent),
    takePattern(repositoryId, made),
    rejudgePushes(repositoryId),
  ]);
  if (outcome.committed) return made;
  throw outcome.failed.includes(1)
    ? patternTaken(namePattern)
    : notFound("the repository was deleted meanwhile");
}

/** Changes a rule by the result of `change`; concurrent edits by others are kept. */
export async function editTagProtection(
  forge: Forge,
  repositoryId: number,
  id: number,
  change: (rule: TagRule) => TagRule,
): Promise<TagProtection> {
  for await (const _attempt of attempts(mostAttempts)) {
    const rule = await getTagProtection(forge, repositoryId, id);
    const { namePattern, allowed } = change(rule);
    const problem = await patternProblem(forge, namePattern);
    if (problem !== undefined) throw problem;
    const next: TagProtection = {
      ...rule,
      ...{ namePattern, allowed, updatedAt: nowSeconds(forge.clock), v: rule.v + 1 },
    };
    const isRenamed = namePattern !== rule.namePattern;
    const outcome = await forge.table.transact([
      put(next, equals({ v: rule.v })),
      rejudgePushes(repositoryId),
      ...(isRenamed ? [takePattern(repositoryId, next), leavePattern(repositoryId, rule)] : []),
    ]);
    if (outcome.committed) return next;
    if (outcome.failed.includes(2)) throw patternTaken(namePattern);
  }
  throw conflict("others edit this rule all the time: try again");
}

/** Removes a rule. NotFound when there is none. */
export async function removeTagProtection(forge: Forge, repositoryId: number, id: number): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    const rule = await getTagProtection(forge, repositoryId, id);
    const { committed } = await forge.table.transact([
      remove(rule, equals({ v: rule.v })),
      leavePattern(repositoryId, rule),
      rejudgePushes(repositoryId),
    ]);
    if (committed) return;
  }
  throw conflict("others edit this rule all the time: try again");
}

/** The guard of a rule's pattern. */
const patternGuard = (
  repositoryId: number,
  { id, namePattern }: Pick<TagProtection, "id" | "namePattern">,
): TagPatternGuard => ({ ...tagPatternKey(repositoryId, namePattern), id, _v: 1 });
const takePattern = (repositoryId: number, rule: TagProtection): Write =>
  put(patternGuard(repositoryId, rule), absent);
const leavePattern = (repositoryId: number, { id, namePattern }: TagProtection): Write =>
  remove(tagPatternKey(repositoryId, namePattern), equals({ id }));

async function patternProblem({ compute }: Forge, namePattern: string): Promise<ForgeError | undefined> {
  if (namePattern === "") return badRequest("name_pattern may not be empty");
  const problem = await tagPatternProblem(compute, namePattern);
  return problem === undefined ? undefined : invalid("NamePattern", problem);
}

const patternTaken = (namePattern: string): ForgeError =>
  forbidden(`a tag protection exists already [name_pattern: ${namePattern}]`);

/**
 * Why somebody may not make, move or delete some tags, by tag name; allowed ones are absent. When rules match a tag,
 * one of them must name the user: administrators are no exception (semantics §24.7). MatchingTooLong when their
 * patterns take too long.
 */
export async function tagProblems(
  forge: Forge,
  rules: readonly TagProtection[],
  {
    ownerId,
    actor,
    tags,
  }: { readonly ownerId: number; readonly actor: Actor; readonly tags: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  const allowed = new Set<string>();
  const time = new MatchTime();
  for (const { namePattern, allowed: people } of rules) {
    const patterns = tagPatterns(namePattern);
    const fitting = [];
    for (const tag of tags) if (!allowed.has(tag) && (await patterns.matches(tag, time))) fitting.push(tag);
    if (fitting.length === 0) continue;
    const isAllowed = await isAmong(forge, ownerId, actor, people);
    for (const tag of fitting) {
      if (isAllowed) allowed.add(tag);
      else if (!problems.has(tag))
        problems.set(tag, `the tag ${tag} is protected by the rule ${namePattern}`);
    }
  }
  for (const tag of allowed) problems.delete(tag);
  return problems;
}
