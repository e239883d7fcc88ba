import type { Forge } from "../forge.ts";
import { findDueOf } from "../jobs/due.ts";
import { findJob } from "../jobs/job.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { mirrorOf } from "../repository/mirror.ts";
import { repositoryKey } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check } from "../table/write.ts";
import { mirrorDueKind, mirrorDueWrites, mirrorSourceKey } from "./mirror.table.ts";
import { syncJobId } from "./sync-job.ts";

/** Invariant 45: a mirror knows its source, and its next sync is due when it says, unless one is under way. */
async function checkMirror(forge: Forge, { repository, items }: RepositoryFacts): Promise<Finding[]> {
  const mirror = mirrorOf(repository);
  if (mirror === undefined) return [];
  const key = mirrorSourceKey(repository.id);
  if (!items.some(({ sk }) => sk === key.sk)) {
    const remedy = "none: nothing tells where it came from; make it an ordinary repository (POST …/convert)";
    return [{ invariant: 45, key: shownKey(key), problem: "is missing", remedy }];
  }
  if (mirror.nextSyncAt === 0) return [];
  const [write] = mirrorDueWrites({ id: repository.id, mirror });
  if (write === undefined || (await findDueOf(forge, write)) !== undefined) return [];
  if ((await findJob(forge, syncJobId(repository.id))) !== undefined) return [];
  const isAsRead = check(repositoryKey(repository.id), equals({ v: repository.v }));
  return [
    {
      invariant: 45,
      key: shownKey(repositoryKey(repository.id)),
      problem: `no ${mirrorDueKind} is due at ${mirror.nextSyncAt}`,
      remedy: "plans the sync",
      repair: mending([isAsRead], { ...write, when: absent }),
    },
  ];
}

export const mirrorChecks: Checks = { live: [checkMirror] };
