import type { Forge } from "../forge.ts";
import { findDueOf } from "../jobs/due.ts";
import { findJob } from "../jobs/job.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent, equals } from "../table/condition.ts";
import { check } from "../table/write.ts";
import { isPushMirror, pushMirrorDueWrite } from "./push-mirror.table.ts";
import { runJobId } from "./start.ts";

/** Invariant 46: the next run of a push mirror is due when it says, unless one is under way. */
async function checkPushMirrors(forge: Forge, { items }: RepositoryFacts): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const mirror of items.filter(isPushMirror)) {
    if (mirror.nextRunAt === 0) continue;
    const write = pushMirrorDueWrite(mirror, mirror.nextRunAt);
    if ((await findDueOf(forge, write)) !== undefined) continue;
    if ((await findJob(forge, runJobId(mirror))) !== undefined) continue;
    findings.push({
      invariant: 46,
      key: shownKey(mirror),
      problem: `no run is due at ${mirror.nextRunAt}`,
      remedy: "plans the run",
      repair: mending([check(mirror, equals({ v: mirror.v }))], { ...write, when: absent }),
    });
  }
  return findings;
}

export const pushMirrorChecks: Checks = { live: [checkPushMirrors] };
