import { z } from "zod";
import type { Spooled } from "#core/capacity/spooled";
import { conflict, invalid, isForgeError, notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { openSealedValue, sealValue } from "#core/sealed-value";
import { linkTo } from "../http/answer/links.ts";

const kind = {
  purpose: "upload",
  shape: z.object({ objectKey: z.string(), sizeBytes: z.int(), until: z.number() }),
};

/** An object that somebody is to upload, in a request of its own: for bytes that are more than a request may have. */
export interface AnnouncedObject {
  /** A fresh one: nothing lies there. */
  readonly objectKey: string;
  readonly sizeBytes: number;
}

/** How long an address of an upload counts, in seconds. */
const uploadSeconds = 3600;

/**
 * An address where anybody may PUT an object of this size, once, within the hour and with `If-None-Match: *`: S3's, or on
 * one machine a sealed one of ours.
 */
export async function uploadLink(forge: Forge, { objectKey, sizeBytes }: AnnouncedObject): Promise<string> {
  const direct = await forge.blobs.uploadUrl(objectKey, sizeBytes, uploadSeconds);
  if (direct !== undefined) return direct;
  const until = forge.clock.now() + uploadSeconds * 1000;
  return linkTo(forge.config, "-", "uploads", sealValue(forge, kind, { objectKey, sizeBytes, until }));
}

/**
 * Takes in what is put under a sealed address. `take` reads at most the given number of bytes, and is TooLarge past it.
 * NotFound for an address that is none or whose time is over, Conflict when the object is there already, 422 when it has
 * another size than announced.
 */
export async function receiveUpload(
  forge: Forge,
  text: string,
  take: (mostBytes: number) => Promise<Spooled>,
): Promise<void> {
  const link = openSealedValue(forge, kind, text);
  if (link === undefined) {
    throw notFound("nothing is awaited under this address, or it has expired");
  }
  const { objectKey, sizeBytes } = link;
  for await (const one of forge.blobs.list(objectKey)) {
    if (one.key === objectKey) throw conflict("the object is there already");
    break;
  }
  const content = await take(sizeBytes).catch((error: unknown) => {
    throw isForgeError(error, "too-large") ? otherSize(sizeBytes) : error;
  });
  if (content.sizeBytes !== sizeBytes) throw otherSize(sizeBytes);
  await content.putTo(forge.blobs, objectKey);
}

const otherSize = (sizeBytes: number) =>
  invalid("Size", `${sizeBytes} bytes were announced, and the object has another size`);
