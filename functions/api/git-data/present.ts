import type { ListedEntry } from "#core/code/list-tree";
import type { AnnotatedTag, Blob, KnownRef } from "#core/code/objects";
import type { ObjectType } from "#core/git/format/object-type";
import { typeOfMode } from "#core/git/format/tree";
import type { ReleaseTag } from "#core/release/release.table";
import { shortened } from "#core/text";
import type { View } from "../../http/answer/view.ts";
import { unsetTimestamp } from "../../http/timestamps.ts";
import { gitLink, mostShown, type Place, presentIdentity, zonedTimestamp } from "../commit/present.ts";
import { presentVerification } from "../commit/verification.ts";
import type { AnnotatedTagJson, GitBlobJson, GitEntryJson, ReferenceJson } from "./schema.ts";

/** How often the archives of a tag were downloaded while a release was on it. */
export const presentDownloads = (tag: ReleaseTag | undefined) => ({
  zip: tag?.zipDownloads ?? 0,
  tar_gz: tag?.tarDownloads ?? 0,
});

type Links = Pick<View, "config">;

/** The API's folder for objects of a kind. */
const folderOf: Readonly<Record<ObjectType, string>> = {
  commit: "commits",
  tree: "trees",
  blob: "blobs",
  tag: "tags",
};

/** An entry of a tree; a submodule leads nowhere. */
export function presentTreeEntry(
  view: Links,
  place: Place,
  { path, mode, id, size }: ListedEntry,
): GitEntryJson {
  const type = typeOfMode(mode);
  const url = type === "commit" ? "" : gitLink(view, place, folderOf[type], id);
  return { path, mode: mode.toString(8).padStart(6, "0"), type, size, sha: id, url };
}

/** A file's content, empty when it is too large to show. */
export function presentBlob(view: Links, place: Place, { id, size, data }: Blob): GitBlobJson {
  const url = gitLink(view, place, "blobs", id);
  return { content: data?.toString("base64") ?? "", encoding: "base64", url, sha: id, size };
}

/** A ref and its target. */
export function presentReference(view: Links, place: Place, { name, id, type }: KnownRef): ReferenceJson {
  const object = { type, sha: id, url: gitLink(view, place, folderOf[type], id) };
  return { ref: name, url: gitLink(view, place, ...name.split("/")), object };
}

/** The object of an annotated tag. */
export function presentAnnotatedTag(
  view: View,
  place: Place,
  { id, tag, message, verification }: AnnotatedTag,
  releaseTag: ReleaseTag | undefined,
): AnnotatedTagJson {
  const { tagger } = tag;
  return {
    tag: tag.name,
    sha: id,
    url: gitLink(view, place, "tags", id),
    message: shortened(message, mostShown.message),
    tagger:
      tagger === undefined
        ? { name: "", email: "", date: unsetTimestamp }
        : presentIdentity(tagger, zonedTimestamp(tagger)),
    object: { type: tag.type, url: gitLink(view, place, folderOf[tag.type], tag.object), sha: tag.object },
    verification: presentVerification(view, verification),
    archive_download_count: presentDownloads(releaseTag),
  };
}
