import { defined } from "#core/defined";
import { findReleaseTags } from "#core/release/downloads";
import type { ReleaseTag } from "#core/release/release.table";
import { createTag, getTag, listTags, type Tag as ReadTag, removeTag } from "#core/tag/tag";
import { z } from "#zod";
import { linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { clampedTimestamp } from "../../http/timestamps.ts";
import { gitLink, type Place } from "../commit/present.ts";
import { CommitMeta } from "../commit/schema.ts";
import { presentDownloads } from "../git-data/present.ts";
import { TagArchiveDownloadCount } from "../git-data/schema.ts";
import { readsCode, writesCode } from "../repository/needs.ts";

const Tag = z
  .object({
    name: z.string(),
    message: z.string(),
    id: z.string(),
    commit: CommitMeta,
    zipball_url: z.string(),
    tarball_url: z.string(),
    archive_download_count: TagArchiveDownloadCount,
  })
  .openapi("Tag");
const CreateTagOption = z
  .object({
    tag_name: z.string().min(1),
    target: z
      .string()
      .optional()
      .openapi({ description: "a branch, tag or commit; the default branch when absent" }),
    message: z.string().optional().openapi({ description: "with a message the tag is an annotated one" }),
  })
  .openapi("CreateTagOption");

function presentTag(
  view: Pick<View, "config">,
  place: Place,
  tag: ReadTag,
  releaseTag?: ReleaseTag,
): z.infer<typeof Tag> {
  const { name, id, targetId, message, taggedAt } = tag;
  const archive = (ending: string) =>
    linkTo(view.config, place.owner.name, place.repository.name, "archive", ...`${name}${ending}`.split("/"));
  return {
    ...{ name, message, id },
    commit: {
      sha: targetId,
      url: gitLink(view, place, "commits", targetId),
      created: clampedTimestamp(taggedAt),
    },
    zipball_url: archive(".zip"),
    tarball_url: archive(".tar.gz"),
    archive_download_count: presentDownloads(releaseTag),
  };
}

const repoListTags = endpoint({
  id: "repoListTags",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/tags",
  summary: "List tags, newest first",
  needs: readsCode,
  status: 200,
  returns: { list: Tag },
  errors: [403, 404],
  handle: async ({ forge, access, page }) => {
    const { items, total } = await listTags(forge, access.repository.id, page);
    const names = items.map(({ name }) => name);
    const releaseTags = await findReleaseTags(forge, access.repository.id, names);
    const present = (tag: ReadTag) => presentTag(forge, access, tag, releaseTags.get(tag.name));
    return { items: items.map(present), total };
  },
});

const repoGetTag = endpoint({
  id: "repoGetTag",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/tags/{tag}",
  summary: "Get a tag by its name",
  needs: readsCode,
  slashed: "tag",
  status: 200,
  returns: { json: Tag },
  errors: [403, 404],
  handle: async ({ forge, access, params }) => {
    const { id } = access.repository;
    const found = await getTag(forge, id, params.tag);
    const releaseTags = await findReleaseTags(forge, id, [found.name]);
    return presentTag(forge, access, found, releaseTags.get(found.name));
  },
});

const repoCreateTag = endpoint({
  id: "repoCreateTag",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/tags",
  summary: "Make a tag",
  needs: writesCode,
  refusesArchived: true,
  body: CreateTagOption,
  status: 201,
  returns: { json: Tag },
  errors: [401, 403, 404, 409, 422, 423],
  handle: async ({ forge, actor, access, body }) => {
    const { tag_name: name, target, message } = body;
    const given = { name, ...defined({ target: target || undefined, message }) };
    return presentTag(forge, access, await createTag(forge, access.repository, actor, given));
  },
});

const repoDeleteTag = endpoint({
  id: "repoDeleteTag",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/tags/{tag}",
  summary: "Delete a tag",
  needs: writesCode,
  refusesArchived: true,
  slashed: "tag",
  status: 204,
  errors: [401, 403, 404, 409, 422, 423],
  handle: async ({ forge, actor, access, params }) => {
    await removeTag(forge, access.repository, actor, params.tag);
    return undefined;
  },
});

export const tagEndpoints = [repoListTags, repoGetTag, repoCreateTag, repoDeleteTag];
