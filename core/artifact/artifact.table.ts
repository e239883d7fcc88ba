import { createHash } from "node:crypto";
import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** What the jobs of a run left behind under a name (semantics §62). Times are whole seconds. */
export interface Artifact extends Item {
  /** Unique in the instance: made of the repository's id and the number (`artifactId`). */
  readonly id: number;
  readonly repositoryId: number;
  /** Counts the repository's artifacts: its place in the list index. */
  readonly number: number;
  readonly runId: number;
  /** Unique in the run. */
  readonly name: string;
  /** Pending: it is being uploaded, and nobody sees it. Expired: its file is gone. */
  readonly state: "pending" | "confirmed" | "expired";
  /** The version under which its last upload was opened. */
  readonly upload: number;
  /** The place of its file in the bucket, while it is confirmed. */
  readonly objectKey?: string;
  /** Of its file, which the uploader compressed; 0 while it is pending. */
  readonly sizeBytes: number;
  /** Of its file, in hex, when it is known. */
  readonly sha256?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  /** The pieces that came by now, those that came twice included, and their bytes: both change without a new `v`. */
  readonly pieces: number;
  readonly pieceBytes: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** Keeps a name to one artifact of a run. */
export interface ArtifactName extends Item {
  readonly number: number;
  readonly _v: 1;
}

/** A piece of an upload; the last one that came for a place counts. */
export interface ArtifactPiece extends Item {
  readonly objectKey: string;
  readonly sizeBytes: number;
  /** The client puts it to S3 itself: it may not have come, and may come again. */
  readonly isAnnounced?: true;
  readonly _v: 1;
}

/** The order in which blocks make the file. */
export interface ArtifactOrder extends Item {
  readonly places: readonly string[];
  readonly _v: 1;
}

/** A repository has fewer artifacts than this, ever. */
export const artifactsPerRepository = 2 ** 26;

/** The id of a repository's artifact: the number alone would be other repositories' as well. */
export const artifactId = (repositoryId: number, number: number): number =>
  repositoryId * artifactsPerRepository + number;

/** The number of a repository's artifact in its id; undefined when the id is one of another repository. */
export function artifactNumberIn(repositoryId: number, id: number): number | undefined {
  const number = id - artifactId(repositoryId, 0);
  return number > 0 && number < artifactsPerRepository ? number : undefined;
}

/** The artifacts of a repository, their names, and the pieces of what is being uploaded. */
export const artifactsPartition = (repositoryId: number): string =>
  `${repositoryPartition(repositoryId)}#ART`;
export const artifactPrefix = "N#";
export const artifactKey = (repositoryId: number, number: number): TableKey => ({
  pk: artifactsPartition(repositoryId),
  sk: `${artifactPrefix}${padded(number)}`,
});
/** The key of the artifact of an id, for reading it ahead; none when the id is one of another repository. */
export function artifactKeysOf(repositoryId: number, id: number): TableKey[] {
  const number = artifactNumberIn(repositoryId, id);
  return number === undefined ? [] : [artifactKey(repositoryId, number)];
}

export const artifactNamePrefix = "RUN#";
/** The names of a run's artifacts. */
export const artifactNamesOf = (repositoryId: number, runId: number) => ({
  pk: artifactsPartition(repositoryId),
  prefix: `${artifactNamePrefix}${padded(runId, 15)}#`,
});
export function artifactNameKey({
  repositoryId,
  runId,
  name,
}: Pick<Artifact, "repositoryId" | "runId" | "name">): TableKey {
  const { pk, prefix } = artifactNamesOf(repositoryId, runId);
  return { pk, sk: `${prefix}${name}` };
}

/** One upload of an artifact. */
export type ArtifactUpload = Pick<Artifact, "repositoryId" | "number" | "upload">;

const piecePrefix = "P#";
/** The pieces of an upload: appended ones in their order. */
export const piecesOf = ({ repositoryId, number, upload }: ArtifactUpload) => ({
  pk: artifactsPartition(repositoryId),
  prefix: `${piecePrefix}${padded(number)}#${padded(upload)}#`,
});
export const pieceKey = (upload: ArtifactUpload, place: string): TableKey => {
  const { pk, prefix } = piecesOf(upload);
  return { pk, sk: `${prefix}${place}` };
};
/** The places of pieces: a block by its id, which may be of any length, or the next in order. */
export const blockPlace = (blockId: string): string =>
  `block-${createHash("sha256").update(blockId).digest("base64url").slice(0, 22)}`;
export const appendedPrefix = "next-";
export const appendedPlace = (at: number): string => `${appendedPrefix}${padded(at)}`;
export const artifactOrderKey = ({ repositoryId, number, upload }: ArtifactUpload): TableKey => ({
  pk: artifactsPartition(repositoryId),
  sk: `L#${padded(number)}#${padded(upload)}`,
});

/** Why a job did not confirm an upload, until somebody is told. */
export interface ArtifactRefusal extends Item {
  readonly message: string;
  readonly _v: 1;
}
export const artifactRefusalKey = ({ repositoryId, number, upload }: ArtifactUpload): TableKey => ({
  pk: artifactsPartition(repositoryId),
  sk: `C#${padded(number)}#${padded(upload)}`,
});

/** Where the objects of a repository's artifacts lie, and those of one upload. */
export const artifactObjects = (repositoryId: number): string => `r/${repositoryId}/artifacts/`;
export const objectsOfUpload = ({ repositoryId, number, upload }: ArtifactUpload): string =>
  `${artifactObjects(repositoryId)}${number}/${upload}/`;
