import { defined } from "../defined.ts";

/** Rules that protect branches: the verbs, and their judgment of a push. */

import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, type ForgeError, forbidden, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { rejudgePushes } from "../git/store/store.ts";
import { nextId, nextIds } from "../ids.ts";
import { parseGlob } from "../pattern/glob.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { keyText, put, remove, type Write } from "../table/write.ts";
import {
  type BranchProtection,
  type ProtectionSettings,
  protectionKey,
  protectionsOf,
} from "./branch-protection.table.ts";
import { patternProblem } from "./internal/path-patterns.ts";
import { isPlain } from "./rule-for.ts";

/** The demands of a rule that says nothing else. */
export const defaultProtectionSettings: ProtectionSettings = {
  allowsPush: false,
  pushers: undefined,
  allowsDeployKeys: false,
  mergers: undefined,
  requiredContexts: undefined,
  requiredApprovals: 0,
  approvers: undefined,
  blocksOnRejectedReviews: false,
  blocksOnReviewRequests: false,
  blocksOnOutdatedBranch: false,
  dismissesStaleApprovals: false,
  ignoresStaleApprovals: false,
  requiresSignedCommits: false,
  protectedFiles: "",
  unprotectedFiles: "",
  appliesToAdmins: false,
};

/** Rules: as many as one transaction orders. */
const most = { rules: 99, nameBytes: 255, patterns: 10_000, contexts: 100 };
const mostAttempts = 10;

/** All rules of a repository, those that count first in front. */
export async function listBranchProtections(forge: Forge, repositoryId: number): Promise<BranchProtection[]> {
  const rules = await forge.table.queryAll<BranchProtection>(protectionsOf(repositoryId));
  return rules.sort((one, other) => one.priority - other.priority || one.createdAt - other.createdAt);
}

/** The rule of this name, whatever its case. NotFound when there is none. */
export async function getBranchProtection(
  forge: Forge,
  repositoryId: number,
  ruleName: string,
): Promise<BranchProtection> {
  const rule = await forge.table.get<BranchProtection>(protectionKey(repositoryId, ruleName));
  if (rule === undefined) throw notFound(`there is no such branch protection [name: ${ruleName}]`);
  return rule;
}

/** Makes a rule. Forbidden when there is one of that name. */
export async function createBranchProtection(
  forge: Forge,
  repositoryId: number,
  ruleName: string,
  settings: ProtectionSettings,
): Promise<BranchProtection> {
  const problem = nameProblem(ruleName) ?? settingsProblem(settings, defaultProtectionSettings);
  if (problem !== undefined) throw problem;
  const others = await listBranchProtections(forge, repositoryId);
  if (others.length >= most.rules) throw unprocessable(`a repository takes at most ${most.rules} rules`);
  const now = nowSeconds(forge.clock);
  const rule: BranchProtection = {
    ...protectionKey(repositoryId, ruleName),
    ...stored(settings),
    id: await nextId(forge.table, "branch-protection"),
    ruleName,
    priority: (others.at(-1)?.priority ?? 0) + 1,
    ...{ createdAt: now, updatedAt: now, v: 1, _v: 1 },
  };
  const outcome = await forge.table.transact([put(rule, absent), rejudgePushes(repositoryId)]);
  if (outcome.committed) return rule;
  if (!outcome.failed.includes(0)) throw notFound("the repository was deleted meanwhile");
  throw forbidden("Branch protection already exist"); // in the family's words, which its clients compare
}

/**
 * Copies of another repository's rules, for the transaction that creates this one. Teams that the new owner lacks let
 * nobody pass.
 */
export async function branchProtectionCopyWrites(
  forge: Forge,
  fromId: number,
  toId: number,
): Promise<Write[]> {
  const rules = await listBranchProtections(forge, fromId);
  if (rules.length === 0) return [];
  const ids = await nextIds(forge.table, "branch-protection", rules.length);
  const now = nowSeconds(forge.clock);
  return rules.map((rule, at) => {
    const times = { createdAt: now, updatedAt: now };
    const key = protectionKey(toId, rule.ruleName);
    const copy: BranchProtection = { ...rule, ...key, ...times, id: ids[at] as number, v: 1 };
    return put(copy, absent);
  });
}

/** Changes a rule by the result of `change`. Concurrent edits by others are kept. */
export async function editBranchProtection(
  forge: Forge,
  repositoryId: number,
  ruleName: string,
  change: (settings: ProtectionSettings) => ProtectionSettings,
): Promise<BranchProtection> {
  for await (const _attempt of attempts(mostAttempts)) {
    const rule = await getBranchProtection(forge, repositoryId, ruleName);
    const settings = change(rule);
    const problem = settingsProblem(settings, rule);
    if (problem !== undefined) throw problem;
    const { pk, sk, id, ruleName: name, priority, createdAt } = rule;
    const next: BranchProtection = {
      ...stored(settings),
      ...{ pk, sk, ruleName: name, priority, createdAt },
      ...defined({ id }),
      updatedAt: nowSeconds(forge.clock),
      ...{ v: rule.v + 1, _v: 1 },
    };
    const writes = [put(next, equals({ v: rule.v })), rejudgePushes(repositoryId)];
    if ((await forge.table.transact(writes)).committed) return next;
  }
  throw conflict("others edit this rule all the time: try again");
}

/**
 * For the transaction that renames a branch: the rule of exactly its name is renamed, too, unless the new name has its
 * own rule. Fails when the rule is edited meanwhile.
 */
export async function branchProtectionRenameWrites(
  { table, clock }: Pick<Forge, "table" | "clock">,
  repositoryId: number,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Write[]> {
  // Characters that a glob reads specially are taken literally.
  const ruleName = to.replace(/[*?[\]{}\\!]/g, "\\$&");
  const [oldKey, newKey] = [protectionKey(repositoryId, from), protectionKey(repositoryId, ruleName)];
  const found = await table.getAll<BranchProtection>([oldKey, newKey]);
  const rule = found.get(keyText(oldKey));
  if (rule === undefined || !isPlain(rule.ruleName)) return [];
  const unchanged = equals({ v: rule.v });
  const renamed = { ...rule, ...newKey, ruleName, updatedAt: nowSeconds(clock), v: rule.v + 1 };
  if (oldKey.sk === newKey.sk) return [put(renamed, unchanged)];
  return found.has(keyText(newKey)) ? [] : [remove(oldKey, unchanged), put(renamed, absent)];
}

/**
 * Orders the rules: first those that the ids name, then the others as they were. NotFound for an id of no rule of the
 * repository; 422 when an id comes twice.
 */
export async function orderBranchProtections(
  forge: Forge,
  repositoryId: number,
  ids: readonly number[],
): Promise<void> {
  if (new Set(ids).size < ids.length) throw invalid("Ids", "an id is named twice");
  for await (const _attempt of attempts(mostAttempts)) {
    const rules = await listBranchProtections(forge, repositoryId);
    const named = ids.map((id) => {
      const rule = rules.find((one) => one.id === id);
      if (rule === undefined) throw notFound(`there is no such branch protection [id: ${id}]`);
      return rule;
    });
    const ordered = [...named, ...rules.filter((rule) => !named.includes(rule))];
    const moved = ordered.flatMap((rule, at) =>
      rule.priority === at + 1 ? [] : [{ rule, priority: at + 1 }],
    );
    const writes = moved.map(({ rule, priority }) =>
      put({ ...rule, priority, v: rule.v + 1 }, equals({ v: rule.v })),
    );
    if (writes.length === 0) return;
    if ((await forge.table.transact([...writes, rejudgePushes(repositoryId)])).committed) return;
  }
  throw conflict("others edit these rules all the time: try again");
}

/** Removes a rule. NotFound when there is none. */
export async function removeBranchProtection(
  forge: Forge,
  repositoryId: number,
  ruleName: string,
): Promise<void> {
  const mayExist = Buffer.byteLength(ruleName) <= most.nameBytes;
  const writes = [remove(protectionKey(repositoryId, ruleName), exists), rejudgePushes(repositoryId)];
  const isRemoved = mayExist && (await forge.table.transact(writes)).committed;
  if (!isRemoved) throw notFound(`there is no such branch protection [name: ${ruleName}]`);
}

/** The settings without undefined values: the table can't hold those. */
function stored(given: ProtectionSettings): ProtectionSettings {
  const known = Object.keys(defaultProtectionSettings) as (keyof ProtectionSettings)[];
  const entries = known.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  return Object.fromEntries(entries) as unknown as ProtectionSettings;
}

function nameProblem(ruleName: string): ForgeError | undefined {
  if (Buffer.byteLength(ruleName) > most.nameBytes) return invalid("RuleName", `MaxSize ${most.nameBytes}`);
  const glob = parseGlob(ruleName, "/");
  return "problem" in glob ? invalid("RuleName", `GlobPattern: ${glob.problem}`) : undefined;
}

/** What is wrong with the changed settings. A rule that already holds something wrong can still be edited elsewhere. */
function settingsProblem(settings: ProtectionSettings, before: ProtectionSettings): ForgeError | undefined {
  for (const [setting, field] of [
    ["protectedFiles", "ProtectedFilePatterns"],
    ["unprotectedFiles", "UnprotectedFilePatterns"],
  ] as const) {
    const patterns = settings[setting];
    if (patterns === before[setting]) continue;
    if (patterns.length > most.patterns) return invalid(field, `MaxSize ${most.patterns}`);
    const problem = patternProblem(patterns);
    if (problem !== undefined) return invalid(field, problem);
  }
  const { requiredContexts = [] } = settings;
  if (requiredContexts.length > most.contexts)
    return invalid("StatusCheckContexts", `MaxSize ${most.contexts}`);
  return undefined;
}
