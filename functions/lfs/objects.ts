import { createHash } from "node:crypto";
import { invalid, notFound } from "#core/errors";
import { findLfsObject, lfsDownloadUrl, readLfsObject } from "#core/lfs/lfs";
import { mostLfsBytes } from "#core/lfs/most-bytes";
import { isLfsOid, type LfsPointer } from "#core/lfs/pointer";
import { type HashedContent, receiveLfsObject, verifyLfsObject } from "#core/lfs/upload";
import { z } from "#zod";
import { attachmentAs } from "../api/contents/content-type.ts";
import { mostStreamedBytes } from "../http/answer/elsewhere.ts";
import { fileAnswer } from "../http/answer/file-answer.ts";
import { lfsAnswer } from "./answer.ts";
import { readLfsBody } from "./body.ts";
import type { LfsRequest } from "./request.ts";

/** Sends an object, or a range of it (semantics §55.4). */
export async function sendObject(asked: LfsRequest): Promise<Response> {
  const { forge, access, params, request, signal } = asked;
  const oid = params.oid ?? "";
  const object = isLfsOid(oid) ? await findLfsObject(forge, access.repository.id, oid) : undefined;
  if (object === undefined) throw notFound("this repository does not have the object");
  const name = params.name === undefined ? oid : Buffer.from(params.name, "base64url").toString("utf8");
  const disposition = attachmentAs(name.replaceAll("\0", ""));
  const { sizeBytes } = object;
  const location =
    sizeBytes > mostStreamedBytes ? await lfsDownloadUrl(forge, object, disposition) : undefined;
  if (location !== undefined) {
    return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
  }
  const file = {
    ...{ sizeBytes, contentType: "application/octet-stream", etag: oid },
    headers: { "content-disposition": disposition },
    read: () => readLfsObject(forge, object),
    readPart: (start: number, end: number) => readLfsObject(forge, object, start, end),
  };
  return fileAnswer(request, file, signal);
}

/** Takes in an object (semantics §55.4): 422 for content that is not what the path says. */
export async function takeObject(asked: LfsRequest): Promise<Response> {
  const { forge, access, params, uploadId } = asked;
  const object = pointerOf(params.oid ?? "", sizeIn(params.size ?? ""));
  const most = mostLfsBytes(forge.config);
  if (object.sizeBytes > most) throw invalid("Size", `an object may have at most ${most} bytes`);
  await receiveLfsObject(
    forge,
    access.repository.id,
    { ...object, uploadId },
    { take: (mostBytes) => takeHashed(asked, mostBytes), requireAllowed: asked.requireAllowed },
  );
  return lfsAnswer(200, {});
}

const sizeIn = (text: string): number => (/^\d{1,16}$/.test(text) ? Number(text) : Number.NaN);

/** 422 unless both are well-formed. */
function pointerOf(oid: string, sizeBytes: number): LfsPointer {
  if (!isLfsOid(oid)) throw invalid("Oid", "64 hexadecimal digits in small letters are expected");
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) {
    throw invalid("Size", "a whole number of bytes is expected");
  }
  return { oid, sizeBytes };
}

/** The body, hashed as it comes. */
async function takeHashed({ body }: LfsRequest, mostBytes: number): Promise<HashedContent> {
  const incoming = body.incoming(mostBytes);
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of incoming.bytes) {
      hash.update(piece);
      yield piece;
    }
  }
  const { mostBytes: most } = incoming;
  const content = await body.spool({ bytes: hashed(), mostBytes: most, end: (why) => incoming.end(why) });
  return { content, sha256: hash.digest("hex") };
}

const pointerShape = z.object({ oid: z.string(), size: z.number() });

/** Says whether an object came, and makes one that was put into S3 the repository's own (semantics §55.4). */
export async function verifyObject(asked: LfsRequest): Promise<Response> {
  const { oid, size } = await readLfsBody(asked, pointerShape);
  const object = pointerOf(oid, size);
  const isThere = await verifyLfsObject(asked.forge, asked.access.repository.id, object, asked.uploadId);
  if (!isThere) throw notFound("the object did not come: upload it again");
  return lfsAnswer(200, {});
}
