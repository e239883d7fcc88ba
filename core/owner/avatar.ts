import { createHash } from "node:crypto";
import { decodeBase64 } from "../base64.ts";
import { BlobMissing } from "../blobs/bucket.ts";
import { badRequest, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { identicon } from "./internal/identicon.ts";

const mostBytes = 1024 * 1024;
const dataUrl = /^data:image\/[a-z+.-]+;base64,/;
const hashShape = /^[0-9a-f]{64}$/;
const drawnShape = /^[0-9a-f]{32}$/;

/** The key of a picture, by the SHA-256 of its bytes: the same picture is kept once, however many use it. */
export const avatarPrefix = "avatars/";
const avatarKey = (hash: string): string => `${avatarPrefix}${hash}`;

/**
 * Stores a picture given in base64; answers its SHA-256 in hex. BadRequest for bad base64, 422 for no picture or over 1
 * MiB.
 */
export async function storeAvatar({ blobs }: Forge, base64: string): Promise<string> {
  const bytes = decodeBase64(base64.replace(dataUrl, ""));
  if (bytes === undefined) throw badRequest("Image: this is not base64");
  const contentType = pictureType(bytes);
  if (contentType === undefined || bytes.length > mostBytes) {
    throw unprocessable("Image: expected a PNG, JPEG, GIF or WebP picture in base64, at most 1 MiB");
  }
  const hash = createHash("sha256").update(bytes).digest("hex");
  await blobs.put(avatarKey(hash), bytes, { contentType });
  return hash;
}

/**
 * A picture by its hash, with its media type; undefined when there is none. A shorter hash stands for users without
 * one; a pattern is drawn from it.
 */
export async function findAvatar(
  { blobs }: Forge,
  hash: string,
): Promise<{ bytes: Buffer; contentType: string } | undefined> {
  if (drawnShape.test(hash)) return { bytes: identicon(hash), contentType: "image/png" };
  if (!hashShape.test(hash)) return undefined;
  const bytes = await blobs.get(avatarKey(hash)).catch((error: unknown) => {
    if (error instanceof BlobMissing) return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  return { bytes, contentType: pictureType(bytes) ?? "application/octet-stream" };
}

/** The media type from the first bytes; nothing that a browser would run (SVG) counts as a picture. */
function pictureType(bytes: Buffer): string | undefined {
  const begins = (text: string, at = 0) => bytes.toString("latin1", at, at + text.length) === text;
  if (begins("\x89PNG\r\n\x1a\n")) return "image/png";
  if (begins("\xff\xd8\xff")) return "image/jpeg";
  if (begins("GIF87a") || begins("GIF89a")) return "image/gif";
  return begins("RIFF") && begins("WEBP", 8) ? "image/webp" : undefined;
}
