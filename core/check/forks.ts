import type { Forge } from "../forge.ts";
import { listJobs } from "../jobs/job.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { findForkPrivacy, hideFork, isToFollow } from "../repository/repository.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

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
