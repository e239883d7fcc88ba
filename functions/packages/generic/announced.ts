import { z } from "zod";
import type { Actor } from "#core/actor";
import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import { type AwaitedContent, awaitContent, awaitedContentMs, takeContent } from "#core/package/announce";
import type { HashedContent } from "#core/package/contents";
import { packageObject } from "#core/package/package.table";
import { openSealedValue, sealValue } from "#core/sealed-value";
import { uploadLink } from "../../files/upload-link.ts";

const kind = {
  purpose: "package-upload",
  shape: z.object({
    place: z.string(),
    until: z.number(),
    content: z.object({ object: z.string(), sizeBytes: z.int(), sha256: z.string() }),
  }),
};

/** Whose file it is, and who sends it: what an announcement counts for. */
export interface AnnouncedPlace {
  readonly owner: Owner;
  readonly actor: Actor;
  readonly file: readonly string[];
}

const textOf = ({ owner, actor, file }: AnnouncedPlace): string =>
  JSON.stringify([owner.id, actor.user.id, ...file]);

/** Where to put a file, and the sealed words by which it is taken then. */
export async function announce(
  forge: Forge,
  place: AnnouncedPlace,
  announced: Omit<AwaitedContent, "object">,
): Promise<{ readonly upload: string; readonly upload_url: string }> {
  const content = await awaitContent(forge, place.actor, place.owner, "generic", announced);
  const announcement = { place: textOf(place), until: forge.clock.now() + awaitedContentMs, content };
  const objectKey = packageObject(place.owner.id, content.object);
  return {
    upload: sealValue(forge, kind, announcement),
    upload_url: await uploadLink(forge, { objectKey, sizeBytes: content.sizeBytes }),
  };
}

/** The announced file. 400 for words that were not given for this place, or whose time is over. */
export async function takeAnnounced(
  forge: Forge,
  place: AnnouncedPlace,
  upload: string,
): Promise<HashedContent> {
  const announcement = openSealedValue(forge, kind, upload);
  if (announcement?.place !== textOf(place)) {
    throw badRequest("this upload was not announced here, or its time is over: announce the file anew");
  }
  return takeContent(forge, place.owner.id, announcement.content);
}
