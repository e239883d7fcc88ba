import type { RepositoryAccess } from "#core/access/repository-access";
import type { Entry } from "#core/code/contents";
import type { NamedCommit } from "#core/code/open";
import { readLfsPointer } from "#core/lfs/pointer";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { clampedTimestamp } from "../../http/timestamps.ts";
import type { ContentsJson } from "./schema.ts";

/** The commit of an entry, and the caller's name for it. */
export interface ShownAt {
  readonly commit: NamedCommit;
  readonly asked: string;
}

/** The thing at a path, in the family's form (semantics §36.1): every key is there, null when it does not apply. */
export function presentEntry(
  { config }: Pick<View, "config">,
  { owner, repository }: Pick<RepositoryAccess, "owner" | "repository">,
  entry: Entry,
  { commit, asked }: ShownAt,
): ContentsJson {
  const names = [owner.name, repository.name] as const;
  const { kind, name, path, id, size, content, lastCommit } = entry;
  const segments = path.split("/");
  const isSubmodule = kind === "submodule";
  const url = `${apiLinkTo(config, "repos", ...names, "contents", ...segments)}?ref=${encodeURIComponent(asked)}`;
  const ref = commit.name.split("/");
  const html = isSubmodule ? null : linkTo(config, ...names, "src", commit.kind, ...ref, ...segments);
  const git = isSubmodule ? null : apiLinkTo(config, "repos", ...names, "git", "blobs", id);
  const pointer = kind === "file" && content !== undefined ? readLfsPointer(content) : undefined;
  const hasBytes = kind === "file" || kind === "symlink";
  return {
    ...{ name, path, sha: id },
    last_commit_sha: lastCommit?.id ?? null,
    last_commit_when: lastCommit === undefined ? null : clampedTimestamp(lastCommit.seconds),
    type: kind,
    size,
    encoding: content === undefined ? null : "base64",
    content: content?.toString("base64") ?? null,
    target: entry.target ?? null,
    url,
    html_url: html,
    git_url: git,
    download_url: hasBytes ? linkTo(config, ...names, "raw", commit.kind, ...ref, ...segments) : null,
    submodule_git_url: entry.submoduleUrl ?? null,
    ...(pointer !== undefined && { lfs_oid: pointer.oid, lfs_size: pointer.sizeBytes }),
    _links: { self: url, git, html },
  };
}
