import { commitMessage } from "#core/git/format/commit";
import type { IdentifiedCommit } from "#core/git/history/history";
import { shortened } from "#core/text";
import type { View } from "../../http/answer/view.ts";
import { clampedTimestamp, unsetTimestamp } from "../../http/timestamps.ts";
import {
  commitLink,
  gitLink,
  mostShown,
  type Place,
  presentIdentity,
  presentObject,
} from "../commit/present.ts";
import type { FileCommitJson } from "./write-schema.ts";

/** The commit of a write of files (semantics §36.5): dates in UTC, no time of creation. */
export function presentFileCommit(
  view: Pick<View, "config">,
  place: Place,
  { id, commit }: IdentifiedCommit,
): FileCommitJson {
  const { author, committer, parents, tree } = commit;
  return {
    url: gitLink(view, place, "commits", id),
    sha: id,
    created: unsetTimestamp,
    html_url: commitLink(view, place, id),
    author: presentIdentity(author, clampedTimestamp(author.seconds)),
    committer: presentIdentity(committer, clampedTimestamp(committer.seconds)),
    parents: parents.map((parent) => presentObject(view, place, "commits", parent)),
    message: shortened(commitMessage(commit), mostShown.message),
    tree: presentObject(view, place, "trees", tree),
  };
}
