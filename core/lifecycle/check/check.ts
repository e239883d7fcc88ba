import type { Forge } from "../../forge.ts";
import { type NameGuard, nameGuardKey } from "../../owner/owner.table.ts";
import {
  type Repository,
  type RepositoryNameGuard,
  repositoryNameKey,
} from "../../repository/repository.table.ts";
import { lifecycles } from "../registry.ts";
import type { Check, Checks } from "./checks.ts";
import { checkCounters } from "./counters.ts";
import { type Finding, foundTwice, type Repair } from "./finding.ts";
import { checkObjectKinds } from "./objects.ts";
import { readFacts } from "./repository-facts.ts";
import { readTableFacts } from "./table-facts.ts";

const checks: readonly Checks[] = lifecycles.flatMap((one) => one.checks ?? []);
const ofTable = checks.flatMap(({ table = [] }) => table);
const ofService = checks.flatMap(({ served = [] }) => served);
const ofEach = checks.flatMap(({ repository = [] }) => repository);
const ofLive = checks.flatMap(({ live = [] }) => live);

/**
 * Checks everything of one repository, twice when the first look finds something: the forge may be at work meanwhile.
 * Reads every item of it, and changes nothing.
 */
export const checkRepository = (forge: Forge, repositoryId: number): Promise<Finding[]> =>
  foundTwice(async () => {
    const facts = await readFacts(forge, repositoryId, lifecycles, checks);
    if (facts === undefined) return [];
    return lookAt(forge, facts, facts.repository.state === "live" ? [...ofEach, ...ofLive] : ofEach);
  });

/** The id of the repository that `owner/name` calls; undefined when there is none. */
export async function findRepositoryId({ table }: Forge, path: string): Promise<number | undefined> {
  const [owner = "", name = "", ...others] = path.split("/");
  if (owner === "" || name === "" || others.length > 0) return undefined;
  const guard = await table.get<NameGuard>(nameGuardKey(owner));
  if (guard === undefined) return undefined;
  return (await table.get<RepositoryNameGuard>(repositoryNameKey(guard.ownerId, name)))?.repositoryId;
}

/** What a look across repositories answers, and the ids of all of them. */
interface AcrossRepositories {
  readonly findings: readonly Finding[];
  readonly repositoryIds: readonly number[];
}

/**
 * Checks the whole table, one repository after the other; findings come as they are made. For operators alone. Items
 * that wait for workers are no finding while nobody serves: the next start handles them.
 */
export async function* checkTable(forge: Forge, { isServed } = { isServed: true }): AsyncGenerator<Finding> {
  const { findings, repositoryIds } = await lookAcross(forge, isServed);
  yield* findings;
  for (const id of repositoryIds.toSorted((one, other) => one - other)) {
    yield* await checkRepository(forge, id);
  }
}

/** Checks what holds across repositories, of users and organizations, and of each item by itself. */
export const checkAcrossRepositories = async (forge: Forge): Promise<readonly Finding[]> =>
  (await lookAcross(forge, true)).findings;

async function lookAcross(forge: Forge, isServed: boolean): Promise<AcrossRepositories> {
  let repositoryIds: readonly number[] = [];
  const findings = await foundTwice(async () => {
    const facts = await readTableFacts(forge, lifecycles, checks);
    repositoryIds = facts.all<Repository>("R#<repository> / META").map(({ id }) => id);
    const found = await lookAt(forge, facts, isServed ? [...ofTable, ...ofService] : ofTable);
    const ofBucket = await checkObjectKinds(forge, lifecycles);
    return [...facts.findings, ...checkCounters(facts), ...ofBucket, ...found];
  });
  return { findings, repositoryIds };
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
