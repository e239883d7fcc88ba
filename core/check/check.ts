import { issueDirectory } from "../directory/issues.ts";
import { repositoryDirectory } from "../directory/repositories.ts";
import { userDirectory } from "../directory/users.ts";
import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey } from "../owner/owner.table.ts";
import { type RepositoryNameGuard, repositoryNameKey } from "../repository/repository.table.ts";
import { checkDirectory } from "./directories.ts";
import { checkDuties, checkOrphans } from "./duties.ts";
import { type Finding, foundTwice } from "./finding.ts";
import { checkGpgKeys, checkKeys } from "./keys.ts";
import { checkBlocks, checkCollaborations, checkMembershipMirrors, checkTeamMembers } from "./memberships.ts";
import { checkMilestones } from "./milestones.ts";
import { checkAdministrators, checkEmailListings, checkEmails, checkNames, checkTokens } from "./owners.ts";
import { checkRefs } from "./refs.ts";
import { checkCollaborators, checkIdentity, checkSizes } from "./repositories.ts";
import { type RepositoryFacts, readFacts } from "./repository-facts.ts";
import { readTableFacts, type TableFacts } from "./table-facts.ts";
import {
  checkAuthorRows,
  checkCommentCounts,
  checkCounts,
  checkEntryRows,
  checkNumbers,
  checkStates,
} from "./tracker.ts";
import { checkWords } from "./words.ts";

export type { Finding } from "./finding.ts";

type Check<Facts> = (forge: Forge, facts: Facts) => Finding[] | Promise<Finding[]>;

/** What holds of each repository, one function per invariant or part of one. */
const repositoryChecks: readonly Check<RepositoryFacts>[] = [
  checkIdentity,
  checkCollaborators,
  checkSizes,
  checkRefs,
];
/** What holds of a repository while it is not being deleted. */
const trackerChecks: readonly Check<RepositoryFacts>[] = [
  (_, facts) => checkNumbers(facts),
  (_, facts) => checkCounts(facts),
  (_, facts) => checkCommentCounts(facts),
  (_, facts) => checkMilestones(facts),
  (_, facts) => checkEntryRows(facts),
  (_, facts) => checkStates(facts),
  checkAuthorRows,
  checkWords,
  (forge, { repository }) => checkDirectory(forge, issueDirectory(repository.id), 10),
];
/** What holds across repositories. */
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
  (_, facts) => checkCollaborations(facts),
  (_, facts) => checkBlocks(facts),
  (_, facts) => checkOrphans(facts),
  checkDuties,
  (forge) => checkDirectory(forge, repositoryDirectory, 2),
  (forge) => checkDirectory(forge, userDirectory, 10),
];

/**
 * Looks at everything of one repository, twice where the first look finds something: the forge may be at work
 * meanwhile. Reads every item of it, and changes nothing.
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

/** Looks at the whole table, one repository after the other; findings come as they are made. For operators alone. */
export async function* checkTable(forge: Forge): AsyncGenerator<Finding> {
  let repositoryIds: ReadonlySet<number> = new Set();
  yield* await foundTwice(async () => {
    const facts = await readTableFacts(forge);
    ({ repositoryIds } = facts);
    return lookAt(forge, facts, tableChecks);
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
  // What never changes is kept in memory by table: another object for the same table has nothing yet.
  const unremembered = Object.create(forge, { table: { value: { ...forge.table } } }) as Forge;
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await check(unremembered, facts)));
  return findings;
}

/** Mends what can be derived anew; answers what was left to people. What mends several findings is done once. */
export async function repair(forge: Forge, findings: readonly Finding[]): Promise<Finding[]> {
  const repairs = new Set(findings.flatMap((finding) => finding.repair ?? []));
  for (const mend of repairs) await mend(forge);
  return findings.filter((finding) => finding.repair === undefined);
}
