import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { settleDue } from "../jobs/due.ts";
import {
  type Artifact,
  type ArtifactUpload,
  artifactObjects,
  artifactOrderKey,
  artifactRefusalKey,
  objectsOfUpload,
  piecesOf,
} from "./artifact.table.ts";
import { findArtifact, isArtifactOver } from "./artifact.ts";
import { expireAsRead, removeAsRead } from "./remove.ts";
import { type ArtifactSweep, artifactSweepKind } from "./write.ts";

/**
 * For the tick: ends abandoned uploads and artifacts whose time is over, and removes what uploads left behind. Answers
 * how many it looked at.
 */
export const sweepArtifacts = (forge: Forge): Promise<number> =>
  settleDue<ArtifactSweep>(forge, artifactSweepKind, async (sweep) => {
    const artifact = await findArtifact(forge, sweep.repositoryId, sweep.number);
    const isItsLast = artifact?.upload === sweep.upload;
    if (artifact !== undefined && isItsLast && !(await endIfOver(forge, artifact))) return false;
    await clearUpload(forge, sweep, isItsLast ? artifact : undefined);
    return true;
  });

/** False when it changed meanwhile: the next tick looks again. */
async function endIfOver(forge: Forge, artifact: Artifact): Promise<boolean> {
  try {
    if (artifact.state === "pending") return await removeAsRead(forge, artifact);
    const isOver = artifact.state === "confirmed" && isArtifactOver(forge, artifact);
    return isOver ? await expireAsRead(forge, artifact) : true;
  } catch (error) {
    if (isForgeError(error, "not-found")) return true; // the job that empties the repository removes all of them
    throw error;
  }
}

const objectsAtOnce = 500;

/** Removes the pieces of an upload that is over, and its objects but for the artifact's file. */
async function clearUpload(
  { table, blobs }: Forge,
  upload: ArtifactUpload,
  artifact: Artifact | undefined,
): Promise<void> {
  const pieces = await table.queryAll(piecesOf(upload));
  await table.removeAll([...pieces, artifactOrderKey(upload), artifactRefusalKey(upload)]);
  const left: string[] = [];
  for await (const { key } of blobs.list(objectsOfUpload(upload))) {
    if (key !== artifact?.objectKey) left.push(key);
  }
  for (let first = 0; first < left.length; first += objectsAtOnce) {
    await blobs.remove(left.slice(first, first + objectsAtOnce));
  }
}

/** Removes objects of a repository that is being deleted: one step. Answers whether there may be more. */
export async function emptySomeArtifactObjects({ blobs }: Forge, repositoryId: number): Promise<boolean> {
  const found: string[] = [];
  for await (const { key } of blobs.list(artifactObjects(repositoryId))) {
    found.push(key);
    if (found.length === objectsAtOnce) break;
  }
  await blobs.remove(found);
  return found.length === objectsAtOnce;
}
