import { issueDirectory } from "../directory/issues.ts";
import { repositoryDirectory } from "../directory/repositories.ts";
import { userDirectory } from "../directory/users.ts";
import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey } from "../owner/owner.table.ts";
import { type RepositoryNameGuard, repositoryNameKey } from "../repository/repository.table.ts";
import { checkAddresses, checkAttachments } from "./attachments.ts";
import { checkCounters } from "./counters.ts";
import { checkCounts } from "./counts.ts";
import { checkDirectory } from "./directories.ts";
import { checkDuties, checkOrphans } from "./duties.ts";
import { type Finding, foundTwice, type Repair } from "./finding.ts";
import { checkFollows } from "./follows.ts";
import { checkFork, checkForkGuards } from "./forks.ts";
import { checkAsides, checkContentHistories, checkDependencies } from "./issue-parts.ts";
import { checkGpgKeys, checkKeys } from "./keys.ts";
import { checkLabels } from "./labels.ts";
import { checkMarkMirrors, checkMarks, checkStarCounts } from "./marks.ts";
import { checkBlocks, checkCollaborations, checkMembershipMirrors, checkTeamMembers } from "./memberships.ts";
import { checkMilestones } from "./milestones.ts";
import { checkAbandoned, checkPictures } from "./objects.ts";
import { checkAdministrators, checkEmailListings, checkEmails, checkNames, checkTokens } from "./owners.ts";
import { checkMentions, checkReferringEntries, checkTextReferences } from "./references.ts";
import { checkRefs } from "./refs.ts";
import { checkAstray, checkCollaborators, checkIdentity, checkSizes } from "./repositories.ts";
import { type RepositoryFacts, readFacts } from "./repository-facts.ts";
import { checkStatuses, checkTagProtections } from "./rules.ts";
import { readTableFacts, type TableFacts } from "./table-facts.ts";
import { checkTeamRepositories } from "./team-repositories.ts";
import { checkStopwatches, checkStopwatchMirrors, checkTimes } from "./times.ts";
import {
  checkCommentCounts,
  checkEntryRows,
  checkNumbers,
  checkPins,
  checkStates,
  checkUserRows,
} from "./tracker.ts";
import { checkUnnamedColumns, checkUnnamedObjects, checkUnnamedSegments } from "./unnamed.ts";
import { checkWords } from "./words.ts";

type Check<Facts> = (forge: Forge, facts: Facts) => Finding[] | Promise<Finding[]>;

/** The checks of each repository, one function per invariant or part of one. */
const repositoryChecks: readonly Check<RepositoryFacts>[] = [
  checkIdentity,
  checkCollaborators,
  checkSizes,
  checkRefs,
];
/** The checks of a repository that is not being deleted. */
const trackerChecks: readonly Check<RepositoryFacts>[] = [
  (_, facts) => checkNumbers(facts),
  (_, facts) => checkCounts(facts),
  (_, facts) => checkCommentCounts(facts),
  (_, facts) => checkMilestones(facts),
  (_, facts) => checkEntryRows(facts),
  (_, facts) => checkStates(facts),
  (_, facts) => checkPins(facts),
  checkUserRows,
  checkLabels,
  checkMarks,
  checkAttachments,
  checkTimes,
  checkStopwatchMirrors,
  checkDependencies,
  checkAsides,
  (_, facts) => checkContentHistories(facts),
  checkFork,
  checkForkGuards,
  checkStatuses,
  (_, facts) => checkTagProtections(facts),
  checkMentions,
  checkTextReferences,
  checkReferringEntries,
  checkWords,
  (forge, { repository }) => checkDirectory(forge, issueDirectory(repository.id), 10),
  checkUnnamedSegments,
  checkUnnamedObjects,
];
/** The checks across repositories. */
const tableChecks: readonly Check<TableFacts>[] = [
  (_, facts) => facts.findings,
  (_, facts) => checkNames(facts),
  (_, facts) => checkEmails(facts),
  (_, facts) => checkEmailListings(facts),
  (_, facts) => checkTokens(facts),
  (_, facts) => checkKeys(facts),
  (_, facts) => checkGpgKeys(facts),
  (_, facts) => checkAdministrators(facts),
  (_, facts) => checkMembershipMirrors(facts),
  (_, facts) => checkTeamMembers(facts),
  (_, facts) => checkTeamRepositories(facts),
  (_, facts) => checkCollaborations(facts),
  (_, facts) => checkBlocks(facts),
  (_, facts) => checkFollows(facts),
  (_, facts) => checkMarkMirrors(facts),
  (_, facts) => checkStarCounts(facts),
  (_, facts) => checkAstray(facts),
  (_, facts) => checkOrphans(facts),
  (_, facts) => checkCounters(facts),
  checkStopwatches,
  checkAddresses,
  checkPictures,
  checkAbandoned,
  (forge) => checkDirectory(forge, repositoryDirectory, 2),
  (forge) => checkDirectory(forge, userDirectory, 10),
  (forge) => checkUnnamedColumns(forge, repositoryDirectory),
  (forge) => checkUnnamedColumns(forge, userDirectory),
];

/**
 * Checks everything of one repository, twice when the first look finds something: the forge may be at work meanwhile.
 * Reads every item of it, and changes nothing.
 */
export const checkRepository = (forge: Forge, repositoryId: number): Promise<Finding[]> =>
  foundTwice(async () => {
    const facts = await readFacts(forge, repositoryId);
    if (facts === undefined) return [];
    const isLive = facts.repository.state === "live";
    return lookAt(forge, facts, isLive ? [...repositoryChecks, ...trackerChecks] : repositoryChecks);
  });

/** The id of the repository that `owner/name` calls; undefined when there is none. */
export async function findRepositoryId({ table }: Forge, path: string): Promise<number | undefined> {
  const [owner = "", name = "", ...others] = path.split("/");
  if (owner === "" || name === "" || others.length > 0) return undefined;
  const guard = await table.get<NameGuard>(nameGuardKey(owner));
  if (guard === undefined) return undefined;
  return (await table.get<RepositoryNameGuard>(repositoryNameKey(guard.ownerId, name)))?.repositoryId;
}

/**
 * Checks the whole table, one repository after the other; findings come as they are made. For operators alone. Items
 * that wait for workers are no finding while nobody serves: the next start handles them.
 */
export async function* checkTable(forge: Forge, { isServed } = { isServed: true }): AsyncGenerator<Finding> {
  let repositoryIds: ReadonlySet<number> = new Set();
  yield* await foundTwice(async () => {
    const facts = await readTableFacts(forge);
    ({ repositoryIds } = facts);
    return lookAt(forge, facts, isServed ? [...tableChecks, checkDuties] : tableChecks);
  });
  for (const id of [...repositoryIds].sort((one, other) => one - other)) {
    yield* await checkRepository(forge, id);
  }
}

async function lookAt<Facts>(
  forge: Forge,
  facts: Facts,
  checks: readonly Check<Facts>[],
): Promise<Finding[]> {
  // Immutable things are kept in memory by table: another object for the same table has none yet.
  const unremembered = { ...forge, table: { ...forge.table } };
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await check(unremembered, facts)));
  return findings;
}

/** The result of repairs. */
export interface RepairReport {
  readonly mended: number;
  /** Findings that were not mended, because their items had changed meanwhile. */
  readonly outdated: number;
  /** Repairs that threw, with one of the findings that each was for. */
  readonly failed: readonly { readonly finding: Finding; readonly error: unknown }[];
  /** Findings for people. */
  readonly left: readonly Finding[];
}

/**
 * Mends everything that can be derived anew, while people write. A repair for several findings runs once; one that
 * throws stops no other.
 */
export async function repairFindings(forge: Forge, findings: readonly Finding[]): Promise<RepairReport> {
  const repairs = new Map<Repair, Finding>();
  for (const finding of findings) {
    if (finding.repair !== undefined && !repairs.has(finding.repair)) repairs.set(finding.repair, finding);
  }
  let [mended, outdated] = [0, 0];
  const failed: { finding: Finding; error: unknown }[] = [];
  for (const [mend, finding] of repairs) {
    try {
      if (await mend(forge)) mended += 1;
      else outdated += 1;
    } catch (error) {
      forge.log.error("check:repair-failed", { invariant: finding.invariant, key: finding.key, error });
      failed.push({ finding, error });
    }
  }
  return { mended, outdated, failed, left: findings.filter((finding) => finding.repair === undefined) };
}
