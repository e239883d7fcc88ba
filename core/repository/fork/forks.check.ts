import type { Forge } from "../../forge.ts";
import { listJobs } from "../../jobs/job.ts";
import { type Finding, shownKey } from "../../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../../lifecycle/check/repository-facts.ts";
import { keyText } from "../../table/write.ts";
import {
  type ForkGuard,
  forkGuardKey,
  forkGuardPrefix,
  forkIdsOf,
  type Repository,
  repositoryKey,
} from "../repository.table.ts";
import { hideFork, isToFollow } from "./fork-changes.ts";
import { isForkOf, mendGuard } from "./fork-guards.ts";
import { findForkPrivacy } from "./forks.ts";

/**
 * Invariant 33: a fork of what is private, or of what a private owner has, is private, unless a job is still to come to
 * it. A private fork of what everybody sees is right: `FORCE_PRIVATE` makes such.
 */
export async function checkFork(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id, parentId, isPrivate } = repository;
  if (parentId === undefined || isPrivate) return [];
  const key = repositoryKey(id);
  // In this order: a job that is gone when jobs are read has done its work by the time the fork is.
  const privacy = await findForkPrivacy(forge, parentId);
  if (privacy?.isPrivate !== true) return [];
  const { parent } = privacy;
  if (isToFollow(await listJobs(forge), parent, id)) return [];
  const fork = await forge.table.get<Repository>(key);
  if (fork?.state !== "live" || fork.parentId !== parentId || fork.isPrivate) return [];
  return [
    {
      invariant: 33,
      key: shownKey(key),
      problem: `is public, and a fork of repository ${parentId}, which ${parent.isPrivate ? "is private" : "has a private owner"}`,
      remedy: "makes it private, and has its own forks follow",
      repair: (on) => hideFork(on, parentId, id),
    },
  ];
}

/**
 * Invariant 34: the guard of its owner names a fork at what it was forked from, and a guard names live forks of
 * that owner's alone.
 */
export async function checkForkGuards(forge: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  return [...(await checkUntold(forge, facts.repository)), ...(await checkNamed(forge, facts))];
}

async function checkUntold(
  { table }: Forge,
  { id, parentId, ownerId }: Repository,
): Promise<readonly Finding[]> {
  if (parentId === undefined) return [];
  const [parentAt, guardAt] = [repositoryKey(parentId), forkGuardKey(parentId, ownerId)];
  const found = await table.getAll([parentAt, guardAt]);
  if ((found.get(keyText(parentAt)) as Repository | undefined)?.state !== "live") return [];
  if (forkIdsOf(found.get(keyText(guardAt)) as ForkGuard | undefined).includes(id)) return [];
  const problem = `does not name repository ${id}, a fork of its owner's`;
  return [guardFinding(parentId, ownerId, id, problem, "adds it")];
}

async function checkNamed(
  { table }: Forge,
  { repository, items }: RepositoryFacts,
): Promise<readonly Finding[]> {
  const guards = items.filter(({ sk }) => sk.startsWith(forkGuardPrefix)) as ForkGuard[];
  const listed = guards.flatMap((guard) => {
    const ownerId = Number(guard.sk.slice(forkGuardPrefix.length));
    return forkIdsOf(guard).map((forkId) => ({ ownerId, forkId }));
  });
  const found = await table.getAll<Repository>(listed.map(({ forkId }) => repositoryKey(forkId)));
  return listed
    .filter(
      ({ ownerId, forkId }) => !isForkOf(found.get(keyText(repositoryKey(forkId))), repository.id, ownerId),
    )
    .map(({ ownerId, forkId }) => {
      const problem = `tells of repository ${forkId}, which is no fork of its owner's`;
      return guardFinding(repository.id, ownerId, forkId, problem, "takes it off");
    });
}

const guardFinding = (
  parentId: number,
  ownerId: number,
  forkId: number,
  problem: string,
  remedy: string,
): Finding => ({
  invariant: 34,
  key: shownKey(forkGuardKey(parentId, ownerId)),
  problem,
  remedy,
  repair: (forge) => mendGuard(forge, parentId, ownerId, forkId),
});
