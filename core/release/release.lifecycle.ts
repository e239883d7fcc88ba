import type { Forge } from "../forge.ts";
import { releaseSequenceKey } from "../ids.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedRepository, Lifecycle } from "../lifecycle/lifecycle.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import { releaseChecks } from "./release.check.ts";
import { releasesPartition } from "./release.table.ts";

async function emptyReleases(forge: Forge, { repositoryId }: EndedRepository): Promise<PartStep> {
  const step = await removePage(forge, { pk: releasesPartition(repositoryId) });
  if (!step.hasMore) await forge.table.removeAll([releaseSequenceKey(repositoryId)]);
  return step;
}

export const releaseLifecycle: Lifecycle = {
  noun: "release",
  items: [
    { at: "R#<repository>#REL / N#<release>" },
    { at: "R#<repository>#REL / TAG#<tag>" },
    { at: "SEQ#release#<repository> / #" },
  ],
  ends: { repository: { releases: { stage: "beside", step: emptyReleases } } },
  checks: releaseChecks,
};
