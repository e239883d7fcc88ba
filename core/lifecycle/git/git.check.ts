import type { Forge } from "../../forge.ts";
import { packGraceMs } from "../../git/store/maintain/sweep-packs.ts";
import { removeRepositoryGit } from "../../git/store/remove-repository.ts";
import { namedPacks } from "../../git/store/shared-packs.ts";
import type { Job } from "../../jobs/job.table.ts";
import { gitIdsIn, repositoryKind } from "../../repository/checked-repository.ts";
import type { Checks } from "../check/checks.ts";
import type { Finding } from "../check/finding.ts";
import type { TableFacts } from "../check/table-facts.ts";
import { checkRefs } from "./refs.check.ts";
import { unnamedChecks } from "./unnamed.check.ts";

const jobKind = "JOB#<part> / <job>";

/** Invariant 21: of repositories that are not there, nothing but packs that forks still name lies in the bucket. */
async function checkAbandoned(forge: Forge, facts: TableFacts): Promise<Finding[]> {
  const known = gitIdsIn(facts);
  const emptied = new Set(
    facts.all<Job>(jobKind).map((job) => (job.arguments as { repositoryId?: number }).repositoryId),
  );
  const abandoned = new Map<number, string[]>();
  const before = forge.clock.now() - packGraceMs;
  for await (const { key, modified } of forge.blobs.list("r/")) {
    const id = Number(key.split("/")[1]);
    if (known.has(id) || emptied.has(id)) continue;
    if (modified.getTime() > before) continue;
    abandoned.set(id, [...(abandoned.get(id) ?? []), key]);
  }
  const findings: Finding[] = [];
  for (const [id, keys] of abandoned) {
    const named = await namedPacks(forge.table, id);
    const [first, ...others] = keys.filter((key) => !named.has(/(\w+)\.\w+$/.exec(key)?.[1] ?? ""));
    if (first === undefined) continue;
    findings.push({
      invariant: 21,
      key: first,
      problem: `lies there with ${others.length} more, repository ${id} does not`,
      remedy: "removes what no fork names",
      repair: (on) => removeAbandoned(on, id),
    });
  }
  return findings;
}

/** Ids are never given twice, and whoever was to create the repository gave up long ago. */
async function removeAbandoned(forge: Forge, repositoryId: number): Promise<boolean> {
  const removeSome = () => removeRepositoryGit(forge, repositoryId, "objects");
  while ((await removeSome()).next !== undefined);
  return true;
}

export const gitChecks: Checks = {
  reads: [repositoryKind, jobKind],
  table: [checkAbandoned],
  repository: [checkRefs],
  live: unnamedChecks,
};
