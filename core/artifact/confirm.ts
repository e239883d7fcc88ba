import { createHash, type Hash, randomUUID } from "node:crypto";
import { BlobMissing } from "../blobs/bucket.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { inTurn } from "../concurrency/turns.ts";
import { badRequest, conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { noteDeltaWrite } from "../list-index/compaction-requests.ts";
import { equals } from "../table/condition.ts";
import { keyText, put } from "../table/write.ts";
import { artifactDelta, artifactIndex } from "./artifact.index.ts";
import {
  type Artifact,
  type ArtifactOrder,
  type ArtifactPiece,
  type ArtifactUpload,
  appendedPrefix,
  artifactOrderKey,
  objectsOfUpload,
  pieceKey,
  piecesOf,
} from "./artifact.table.ts";
import { findArtifact } from "./artifact.ts";
import { lookAfterEnd, lookAtUpload, usageOfArtifact } from "./write.ts";

/** What the uploader says of the whole file; absent members are not looked at. */
export interface ArtifactClaim {
  readonly sizeBytes?: number;
  /** In hex, lower case. */
  readonly sha256?: string;
}

/**
 * Makes the pieces of an upload the artifact's file: the named blocks in their order, else what was appended. From then
 * on everybody sees it, and its bytes count. May be repeated. NotFound when the upload is not open any more; BadRequest
 * when a piece is missing, or size or hash is not the claimed one: the upload stays open then.
 */
export async function confirmArtifact(
  forge: Forge,
  upload: ArtifactUpload,
  claim: ArtifactClaim,
): Promise<Artifact> {
  const { repositoryId } = upload;
  // Joined files pass through memory: one of a repository at a time.
  return inTurn(forge, `artifacts of ${repositoryId}`, async () => {
    for await (const _attempt of attempts()) {
      const pending = await findArtifact(forge, repositoryId, upload.number);
      if (pending === undefined || pending.upload !== upload.upload) throw notOpen();
      if (pending.state === "confirmed") return requireAsClaimed(forge, pending, claim);
      if (pending.state !== "pending") throw notOpen();
      const pieces = await piecesInOrder(forge, pending);
      const file = await joined(forge, pending, pieces, claim);
      const artifact = await written(forge, pending, file);
      if (artifact !== undefined) return artifact;
      await removeCopy(forge, pieces, file);
    }
    throw conflict("the artifact is being changed by others; try again");
  });
}

const notOpen = () => notFound("no such artifact is being uploaded");

/** The file of an artifact, as it lies in the bucket. */
type ArtifactFile = Required<Pick<Artifact, "objectKey">> & Pick<Artifact, "sizeBytes" | "sha256">;

async function written(forge: Forge, pending: Artifact, file: ArtifactFile): Promise<Artifact | undefined> {
  const { v, pieces } = pending;
  const confirmed = { state: "confirmed", updatedAt: nowSeconds(forge.clock), v: v + 1 } as const;
  const artifact: Artifact = { ...pending, ...confirmed, ...file };
  const { committed } = await forge.table.transact([
    put(artifact, equals({ v, state: "pending", pieces })),
    artifactDelta(artifact),
    ...(await usageOfArtifact(forge, artifact, 1)),
    lookAfterEnd(forge, artifact),
    lookAtUpload(artifact, artifact.expiresAt * 1000),
  ]);
  if (!committed) return undefined;
  await noteDeltaWrite(forge, artifactIndex(artifact.repositoryId));
  return artifact;
}

async function piecesInOrder({ table }: Forge, upload: ArtifactUpload): Promise<ArtifactPiece[]> {
  const [order, pieces] = await Promise.all([
    table.get<ArtifactOrder>(artifactOrderKey(upload)),
    table.queryAll<ArtifactPiece>(piecesOf(upload)),
  ]);
  if (order === undefined) {
    const appended = pieces.filter(({ sk }) => sk.startsWith(`${piecesOf(upload).prefix}${appendedPrefix}`));
    if (appended.length === 0) throw badRequest("the artifact has no pieces, or no list of its blocks");
    return appended;
  }
  const byKey = new Map(pieces.map((piece) => [keyText(piece), piece]));
  return order.places.map((place) => {
    const piece = byKey.get(keyText(pieceKey(upload, place)));
    if (piece === undefined) throw badRequest("a block of the artifact's list was not uploaded");
    return piece;
  });
}

/** One object of all pieces; a single piece is that object already. */
async function joined(
  forge: Forge,
  upload: ArtifactUpload,
  pieces: readonly ArtifactPiece[],
  claim: ArtifactClaim,
): Promise<ArtifactFile> {
  const { blobs } = forge;
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
  if (claim.sizeBytes !== undefined && claim.sizeBytes !== sizeBytes) throw otherSize(claim, sizeBytes);
  const [first] = pieces;
  // An announced one may be put again: a copy counts.
  const only = pieces.length === 1 && first?.isAnnounced !== true ? first : undefined;
  if (only !== undefined && claim.sha256 === undefined) return { objectKey: only.objectKey, sizeBytes };
  const hash = createHash("sha256");
  const bytes = hashed(forge, pieces, hash);
  const objectKey = only?.objectKey ?? `${objectsOfUpload(upload)}${randomUUID()}`;
  const passing = only === undefined ? blobs.putStream(objectKey, bytes) : readThrough(bytes);
  await passing.catch((error: unknown) => {
    throw error instanceof BlobMissing
      ? badRequest("a piece was announced, and not put under its address")
      : error;
  });
  const file = { objectKey, sizeBytes, sha256: hash.digest("hex") };
  if (claim.sha256 !== undefined && claim.sha256 !== file.sha256) {
    await removeCopy(forge, pieces, file);
    throw otherHash();
  }
  return file;
}

/** Removes what pieces were joined to and nobody gets to see; a piece stays. */
async function removeCopy(
  { blobs }: Forge,
  pieces: readonly ArtifactPiece[],
  { objectKey }: ArtifactFile,
): Promise<void> {
  if (!pieces.some((piece) => piece.objectKey === objectKey)) await blobs.remove([objectKey]);
}

/** The bytes of objects one after another, which `hash` sees as they pass. */
async function* hashed(
  { blobs, awaited }: Forge,
  objects: readonly { readonly objectKey: string; readonly sizeBytes: number }[],
  hash: Hash,
): AsyncGenerator<Uint8Array> {
  for (const { objectKey, sizeBytes: end } of objects) {
    if (end === 0) continue;
    for await (const chunk of blobs.stream(objectKey, 0, end)) {
      awaited.throwIfAborted();
      hash.update(chunk);
      yield chunk;
    }
  }
}

async function readThrough(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of bytes);
}

/** A repeated request gets the answer of the first one. */
async function requireAsClaimed(forge: Forge, artifact: Artifact, claim: ArtifactClaim): Promise<Artifact> {
  if ((claim.sizeBytes ?? artifact.sizeBytes) !== artifact.sizeBytes)
    throw otherSize(claim, artifact.sizeBytes);
  if (claim.sha256 !== undefined && claim.sha256 !== (await hashOf(forge, artifact))) throw otherHash();
  return artifact;
}

/** The hash of an artifact's file: who confirms a single piece without one has it read by whoever asks. */
async function hashOf(forge: Forge, { objectKey, sizeBytes, sha256 }: Artifact): Promise<string | undefined> {
  if (sha256 !== undefined || objectKey === undefined) return sha256;
  const hash = createHash("sha256");
  await readThrough(hashed(forge, [{ objectKey, sizeBytes }], hash));
  return hash.digest("hex");
}

const otherSize = ({ sizeBytes }: ArtifactClaim, there: number) =>
  badRequest(`the artifact's pieces have ${there} bytes, not ${sizeBytes}`);
const otherHash = () => badRequest("the artifact's pieces have another SHA-256 than it was confirmed with");
