import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { noteDeltaWrite } from "../list-index/compaction-requests.ts";
import { equals } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { artifactDelta, artifactIndex } from "./artifact.index.ts";
import { type Artifact, type ArtifactName, artifactNamesOf } from "./artifact.table.ts";
import { findArtifact, getArtifact } from "./artifact.ts";
import { artifactRemovalWrites, fileLeavingWrites } from "./write.ts";

/** Removes an artifact; its file goes two hours later, for those who are reading it. NotFound as in `getArtifact`. */
export async function removeArtifact(forge: Forge, repositoryId: number, id: number): Promise<void> {
  for await (const _attempt of attempts()) {
    if (await removeAsRead(forge, await getArtifact(forge, repositoryId, id))) return;
  }
  throw conflict("the artifact is being changed by others; try again");
}

/** Removes an artifact in any state; false when it changed since it was read. */
export async function removeAsRead(forge: Forge, artifact: Artifact): Promise<boolean> {
  const { committed } = await forge.table.transact(await artifactRemovalWrites(forge, artifact));
  if (committed) await noteDeltaWrite(forge, artifactIndex(artifact.repositoryId));
  return committed;
}

const perStep = 20;

/** For the end of a run: removes some of its artifacts, pending ones too. Answers whether there may be more. */
export async function removeArtifactsOfRun(
  forge: Forge,
  repositoryId: number,
  runId: number,
): Promise<boolean> {
  const { items, next } = await forge.table.query<ArtifactName>({
    ...artifactNamesOf(repositoryId, runId),
    limit: perStep,
  });
  let isEveryGone = true;
  for (const { number } of items) {
    const artifact = await findArtifact(forge, repositoryId, number);
    if (artifact !== undefined && !(await removeAsRead(forge, artifact))) isEveryGone = false;
  }
  return next !== undefined || !isEveryGone;
}

/** Takes the file from an artifact whose time is over: it is listed as expired from then on. False as above. */
export async function expireAsRead(forge: Forge, artifact: Artifact): Promise<boolean> {
  const { objectKey: _, ...kept } = artifact;
  const v = artifact.v + 1;
  const expired: Artifact = { ...kept, state: "expired", updatedAt: nowSeconds(forge.clock), v };
  const { committed } = await forge.table.transact([
    put(expired, equals({ v: artifact.v })),
    artifactDelta(expired),
    ...(await fileLeavingWrites(forge, artifact)),
  ]);
  if (committed) await noteDeltaWrite(forge, artifactIndex(artifact.repositoryId));
  return committed;
}
