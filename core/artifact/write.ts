import type { Forge } from "../forge.ts";
import { dueWrite } from "../jobs/due.ts";
import { tombstoneWrite } from "../list-index/list-index.ts";
import { sizedThingRemoval, sizedThingWrite, usageHolderOf, usageWrites } from "../quota/usage.ts";
import { equals } from "../table/condition.ts";
import { remove, type Write } from "../table/write.ts";
import { artifactIndex } from "./artifact.index.ts";
import { type Artifact, type ArtifactUpload, artifactKey, artifactNameKey } from "./artifact.table.ts";

/** The kind of looks at one upload of an artifact, for the tick. */
export const artifactSweepKind = "artifacts";

/** An upload that is abandoned, over or past its time: what the look finds. */
export interface ArtifactSweep {
  readonly repositoryId: number;
  readonly number: number;
  readonly upload: number;
}

/** An upload that is not finished by then is abandoned. */
export const uploadGraceMs = 24 * 3_600_000;
/** Longer than an address of a file counts, and than S3 takes for a piece: what is over then lies there unread. */
const leftoverGraceMs = 2 * 3_600_000;

/** Schedules a look at an upload. */
export function lookAtUpload({ repositoryId, number, upload }: ArtifactUpload, atMs: number): Write {
  const sweep: ArtifactSweep = { repositoryId, number, upload };
  return dueWrite(artifactSweepKind, atMs, `${repositoryId}#${number}#${upload}`, { ...sweep });
}

/** The same once readers and late pieces are through. */
export const lookAfterEnd = ({ clock }: Forge, upload: ArtifactUpload): Write =>
  lookAtUpload(upload, clock.now() + leftoverGraceMs);

/** Has the owner use the bytes of a file (1), or stop using them (-1). NotFound once the repository is being deleted. */
export async function usageOfArtifact(
  forge: Pick<Forge, "table">,
  { repositoryId, id, sizeBytes }: Artifact,
  by: 1 | -1,
): Promise<Write[]> {
  const holder = await usageHolderOf(forge, repositoryId);
  const row = by === 1 ? sizedThingWrite : sizedThingRemoval;
  return [
    ...usageWrites([{ ...holder, name: "artifacts", bytes: by * sizeBytes, things: by }]),
    row(repositoryId, "artifacts", { id, sizeBytes }),
  ];
}

/** The writes by which a file stops to be an artifact's: its bytes count no more, and it is removed a while later. */
export async function fileLeavingWrites(forge: Forge, artifact: Artifact): Promise<Write[]> {
  const usage = artifact.state === "confirmed" ? await usageOfArtifact(forge, artifact, -1) : [];
  return artifact.state === "expired" ? [] : [...usage, lookAfterEnd(forge, artifact)];
}

/** The transaction that removes an artifact as it was read. */
export async function artifactRemovalWrites(forge: Forge, artifact: Artifact): Promise<Write[]> {
  const { repositoryId, number, v } = artifact;
  return [
    remove(artifactKey(repositoryId, number), equals({ v })),
    remove(artifactNameKey(artifact), equals({ number })),
    tombstoneWrite(artifactIndex(repositoryId), number, artifact, v + 1),
    ...(await fileLeavingWrites(forge, artifact)),
  ];
}
