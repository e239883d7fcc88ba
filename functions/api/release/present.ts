import type { Attachment } from "#core/attachment/attachment.table";
import type { Release, ReleaseTag } from "#core/release/release.table";
import type { User } from "#core/user/user.table";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import { presentAttachment } from "../attachment/present.ts";
import type { AttachmentJson } from "../attachment/schema.ts";
import type { Place } from "../commit/present.ts";
import { presentDownloads } from "../git-data/present.ts";
import { presentUser } from "../user/present.ts";
import type { ReleaseJson } from "./schema.ts";

/** What a release refers to. */
export interface ReleaseParts {
  readonly author: User;
  /** In the order of their upload. */
  readonly assets: readonly Attachment[];
  readonly tag: ReleaseTag | undefined;
}

export function presentRelease(
  view: View,
  place: Place,
  release: Release,
  { author, assets, tag }: ReleaseParts,
): ReleaseJson {
  const { config } = view;
  const [owner, repository] = [place.owner.name, place.repository.name];
  const page = (...segments: string[]) => linkTo(config, owner, repository, ...segments);
  const tagPath = release.tagName.split("/");
  const archive = (ending: string) => page("archive", ...`${release.tagName}${ending}`.split("/"));
  const url = apiLinkTo(config, "repos", owner, repository, "releases", release.id);
  const created = timestamp(release.createdAt);
  return {
    id: release.id,
    tag_name: release.tagName,
    target_commitish: release.target,
    name: release.title,
    body: release.body,
    url,
    html_url: page("releases", "tag", ...tagPath),
    tarball_url: archive(".tar.gz"),
    zipball_url: archive(".zip"),
    hide_archive_links: release.hidesArchiveLinks,
    upload_url: `${url}/assets`,
    draft: release.isDraft,
    prerelease: release.isPrerelease,
    created_at: created,
    published_at: created,
    author: presentUser(view, author),
    assets: assets.map((asset) => presentAsset(view, place, release, asset)),
    archive_download_count: presentDownloads(tag),
  };
}

/** An asset among those of its release: its address names the tag (semantics §44.1). */
export function presentAsset(
  view: Pick<View, "config">,
  { owner, repository }: Place,
  { tagName }: Release,
  asset: Attachment,
): AttachmentJson {
  const shown = presentAttachment(view, asset);
  if (asset.externalUrl !== undefined) return shown;
  const path = ["releases", "download", ...tagName.split("/"), asset.name];
  return { ...shown, browser_download_url: linkTo(view.config, owner.name, repository.name, ...path) };
}
