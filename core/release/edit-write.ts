import { equals } from "../table/condition.ts";
import { update, type Write } from "../table/write.ts";
import { type Release, releaseKey } from "./release.table.ts";

/** Writes the members that edits change, unless others edited it since it was read; assets have writers of their own. */
export function editWrite({ v: readV }: Release, after: Release): Write {
  const { tagName, target, title, body, isDraft, isPrerelease, hidesArchiveLinks, hasLostTag } = after;
  const { createdAt, v } = after;
  const texts = { tagName, target, title, body };
  const set = { ...texts, isDraft, isPrerelease, hidesArchiveLinks, hasLostTag, createdAt, v };
  const unset = hasLostTag === undefined ? ["hasLostTag"] : [];
  return update(releaseKey(after.repositoryId, after.number), { set, unset }, equals({ v: readV }));
}
