import type { Forge } from "../forge.ts";
import { artifactSequenceKey } from "../ids.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedRepository, Lifecycle } from "../lifecycle/lifecycle.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import { artifactChecks } from "./artifact.check.ts";
import { artifactsPartition } from "./artifact.table.ts";
import { confirmInJob, confirmKind } from "./confirm-large.ts";
import { emptySomeArtifactObjects } from "./sweep.ts";

async function emptyArtifacts(forge: Forge, { repositoryId }: EndedRepository): Promise<PartStep> {
  if (await emptySomeArtifactObjects(forge, repositoryId)) return { hasFound: true, hasMore: true };
  const step = await removePage(forge, { pk: artifactsPartition(repositoryId) });
  if (!step.hasMore) await forge.table.removeAll([artifactSequenceKey(repositoryId)]);
  return step;
}

export const artifactLifecycle: Lifecycle = {
  noun: "artifact",
  items: [
    { at: "R#<repository>#ART / N#<artifact>" },
    { at: "R#<repository>#ART / RUN#<run>#<name>" },
    { at: "R#<repository>#ART / P#<artifact>#<upload>#<place>" },
    { at: "R#<repository>#ART / L#<artifact>#<upload>" },
    { at: "R#<repository>#ART / C#<artifact>#<upload>" },
    { at: "SEQ#artifact#<repository> / #" },
  ],
  objects: ["r/<repository>/artifacts/<artifact>/<upload>/<uuid>"],
  jobs: { [confirmKind]: confirmInJob },
  ends: { repository: { artifacts: { stage: "beside", step: emptyArtifacts } } },
  checks: artifactChecks,
};
