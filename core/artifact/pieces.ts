import { randomUUID } from "node:crypto";
import type { Spooled } from "../capacity/spooled.ts";
import { attempts } from "../concurrency/attempts.ts";
import { badRequest, conflict, notFound, tooLarge } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { all, below, equals } from "../table/condition.ts";
import { check, put, update } from "../table/write.ts";
import {
  type Artifact,
  type ArtifactOrder,
  type ArtifactPiece,
  type ArtifactUpload,
  appendedPlace,
  artifactKey,
  artifactOrderKey,
  blockPlace,
  objectsOfUpload,
  pieceKey,
} from "./artifact.table.ts";
import { findArtifact } from "./artifact.ts";

/** Where a piece belongs: a block by its id, of which the last one counts, or behind those that were appended. */
export type PiecePlace = { readonly block: string } | "appended";

/** The item of their order has its bound. */
const mostPieces = 4_000;

/** The largest artifact that is taken. */
export const mostArtifactBytes = ({ config }: Pick<Forge, "config">): number =>
  config.artifactMaxSizeMib * 2 ** 20;

/**
 * Adds a piece to an open upload; it may come in any order and twice. NotFound when the upload is not open any more;
 * TooLarge past the bound of an artifact, pieces that came twice included; BadRequest for too many pieces.
 */
export async function addArtifactPiece(
  forge: Forge,
  upload: ArtifactUpload,
  place: PiecePlace,
  content: Spooled,
): Promise<void> {
  const { sizeBytes } = content;
  await requireRoom(forge, upload, sizeBytes);
  const objectKey = newObject(upload);
  await content.putTo(forge.blobs, objectKey);
  await notePiece(forge, upload, place, { objectKey, sizeBytes });
}

/** S3 takes an announced piece for so long: an upload that is over is looked at later than that. */
const pieceSeconds = 3600;

/**
 * Announces a piece of this size, which the client puts to S3 itself: for blocks that are more than a request of Lambda
 * may have. Answers the address for it, which counts for an hour and may be used again; undefined when clients can't
 * reach S3: the request brings the piece then. Refuses as `addArtifactPiece`; a piece that has not come by then keeps
 * the artifact from being confirmed.
 */
export async function announceArtifactPiece(
  forge: Forge,
  upload: ArtifactUpload,
  place: PiecePlace,
  sizeBytes: number,
): Promise<string | undefined> {
  await requireRoom(forge, upload, sizeBytes);
  const objectKey = newObject(upload);
  const url = await forge.blobs.uploadUrl(objectKey, sizeBytes, pieceSeconds, { again: true });
  if (url !== undefined) await notePiece(forge, upload, place, { objectKey, sizeBytes, isAnnounced: true });
  return url;
}

const newObject = (upload: ArtifactUpload): string => `${objectsOfUpload(upload)}${randomUUID()}`;

/** Names the object of a piece, and has the artifact count it. */
async function notePiece(
  forge: Forge,
  upload: ArtifactUpload,
  place: PiecePlace,
  object: Pick<ArtifactPiece, "objectKey" | "sizeBytes" | "isAnnounced">,
): Promise<void> {
  const { sizeBytes } = object;
  for await (const _attempt of attempts()) {
    const { repositoryId, number, v, pieces } = await requireRoom(forge, upload, sizeBytes);
    const isAppended = place === "appended";
    const key = pieceKey(upload, isAppended ? appendedPlace(pieces) : blockPlace(place.block));
    const piece: ArtifactPiece = { ...key, ...object, _v: 1 };
    // Many blocks come at once: which of them came first matters to none.
    const isOpen = equals({ v, state: "pending", ...(isAppended && { pieces }) });
    const counted = update(
      artifactKey(repositoryId, number),
      { add: { pieces: 1, pieceBytes: sizeBytes } },
      all(isOpen, below({ pieces: mostPieces, pieceBytes: mostArtifactBytes(forge) - sizeBytes + 1 })),
    );
    if ((await forge.table.transact([counted, put(piece)])).committed) return;
  }
  throw conflict("too many pieces of the artifact come at once; try again");
}

/**
 * Says in which order the blocks make the file; those that are not named are no part of it. NotFound as above; BadRequest
 * for more than can have come, and for one that stands there twice: a file may not be larger than what was sent.
 */
export async function orderArtifactPieces(
  forge: Forge,
  upload: ArtifactUpload,
  blocks: readonly string[],
): Promise<void> {
  if (blocks.length > mostPieces) throw tooMany();
  if (new Set(blocks).size < blocks.length) throw badRequest("a block stands twice in the list of blocks");
  const { repositoryId, number, v } = await requireOpen(forge, upload);
  const order: ArtifactOrder = { ...artifactOrderKey(upload), places: blocks.map(blockPlace), _v: 1 };
  const { committed } = await forge.table.transact([
    check(artifactKey(repositoryId, number), equals({ v, state: "pending" })),
    put(order),
  ]);
  if (!committed) throw notOpen();
}

async function requireOpen(
  forge: Forge,
  { repositoryId, number, upload }: ArtifactUpload,
): Promise<Artifact> {
  const artifact = await findArtifact(forge, repositoryId, number);
  if (artifact?.state !== "pending" || artifact.upload !== upload) throw notOpen();
  return artifact;
}

async function requireRoom(forge: Forge, upload: ArtifactUpload, sizeBytes: number): Promise<Artifact> {
  const artifact = await requireOpen(forge, upload);
  if (artifact.pieceBytes + sizeBytes > mostArtifactBytes(forge)) {
    throw tooLarge(`an artifact may have at most ${forge.config.artifactMaxSizeMib} MiB`);
  }
  if (artifact.pieces >= mostPieces) throw tooMany();
  return artifact;
}

const notOpen = () => notFound("no such artifact is being uploaded");
const tooMany = () => badRequest(`an artifact is uploaded in at most ${mostPieces} pieces; send larger ones`);
