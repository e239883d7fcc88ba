import { commitMessage } from "#core/git/format/commit";
import type { IdentifiedCommit } from "#core/git/history/history";
import { shortened } from "#core/text";
import { webNameOf } from "#core/wiki/names";
import type { WikiPage, WikiPageOverview } from "#core/wiki/read";
import { linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { mostShown, type Place, presentIdentity, zonedTimestamp } from "../commit/present.ts";
import type { WikiCommitJson } from "./schema.ts";

/** A commit of a wiki. */
export const presentWikiCommit = ({ id, commit }: IdentifiedCommit): WikiCommitJson => ({
  sha: id,
  author: presentIdentity(commit.author, zonedTimestamp(commit.author)),
  commiter: presentIdentity(commit.committer, zonedTimestamp(commit.committer)),
  message: shortened(commitMessage(commit), mostShown.message),
});

/** A page without its text. */
export function presentOverview(
  { config }: Pick<View, "config">,
  { owner, repository }: Place,
  { title, lastCommit }: WikiPageOverview,
) {
  const name = webNameOf(title);
  return {
    title,
    html_url: `${linkTo(config, owner.name, repository.name, "wiki")}/${name}`,
    sub_url: name,
    last_commit: lastCommit === undefined ? null : presentWikiCommit(lastCommit),
  };
}

/** A page. */
export const presentPage = (view: Pick<View, "config">, place: Place, page: WikiPage) => ({
  ...presentOverview(view, place, page),
  content_base64: page.content?.toString("base64") ?? "",
  commit_count: page.commitCount,
  sidebar: page.sidebar?.toString("base64") ?? "",
  footer: page.footer?.toString("base64") ?? "",
});
