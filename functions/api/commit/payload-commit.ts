import type { Verification } from "#core/code/verification";
import { type Commit, commitMessage } from "#core/git/format/commit";
import type { Identity } from "#core/git/format/identity";
import type { ObjectId } from "#core/git/format/object-format";
import type { RepositoryDetails } from "#core/repository/details";
import { shortened } from "#core/text";
import type { User } from "#core/user/user.table";
import { linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import { mostShown } from "./present.ts";
import type { PayloadCommitJson } from "./schema.ts";
import { presentVerification } from "./verification.ts";

/** A commit to present, and the accounts behind the addresses in it (by address in lower case). */
export interface PresentedCommit {
  readonly id: ObjectId;
  readonly commit: Commit;
  readonly verification: Verification;
  readonly people: ReadonlyMap<string, User>;
}

const latestSeconds = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

const shownIdentity = ({ name, email }: Identity, username: string) => ({
  name: shortened(name, mostShown.name),
  email: shortened(email, mostShown.name),
  username,
});

/** The fields of a payload's commit in every form; `usernames` are of author and committer, empty when unknown. */
export function payloadCommit(
  { config }: Pick<View, "config">,
  { owner, repository }: Pick<RepositoryDetails, "owner" | "repository">,
  { id, commit }: Pick<PresentedCommit, "id" | "commit">,
  usernames: readonly [author: string, committer: string],
) {
  return {
    id,
    message: shortened(commitMessage(commit), mostShown.message),
    url: linkTo(config, owner.name, repository.name, "commit", id),
    author: shownIdentity(commit.author, usernames[0]),
    committer: shownIdentity(commit.committer, usernames[1]),
    timestamp: timestamp(Math.min(Math.max(commit.author.seconds, 0), latestSeconds)),
  };
}

/** A commit in the form that branches show, without its changed paths. */
export function presentPayloadCommit(
  view: View,
  details: Pick<RepositoryDetails, "owner" | "repository">,
  { id, commit, verification, people }: PresentedCommit,
): PayloadCommitJson {
  const username = ({ email }: Identity) => people.get(email.toLowerCase())?.name ?? "";
  const usernames = [username(commit.author), username(commit.committer)] as const;
  return {
    ...payloadCommit(view, details, { id, commit }, usernames),
    verification: presentVerification(view, verification),
    added: null,
    removed: null,
    modified: null,
  };
}
