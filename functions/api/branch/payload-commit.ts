import { type Commit, commitMessage } from "#core/git/object/commit";
import type { Identity } from "#core/git/object/identity";
import type { ObjectId } from "#core/git/object/object-format";
import type { RepositoryDetails } from "#core/repository/repository";
import { shortened } from "#core/text";
import type { User } from "#core/user/user.table";
import { linkTo, timestamp, type View } from "../view.ts";
import type { PayloadCommitJson } from "./schema.ts";

/** A commit to present, and the accounts behind the addresses in it (by address in lower case). */
export interface PresentedCommit {
  readonly id: ObjectId;
  readonly commit: Commit;
  readonly signature?: { readonly signature: string; readonly payload: Buffer };
  readonly people: ReadonlyMap<string, User>;
}

const latestSeconds = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
/** Texts in commits have no bound: shown is as much of them as a body or a name may have (D-TEXT). */
const mostShown = { message: 65_536, name: 255 };

/** A commit's message as it is shown, cut where it is very long. */
export const shownMessage = (commit: Pick<Commit, "message" | "encoding">): string =>
  shortened(commitMessage(commit), mostShown.message);

/** Name and address of a commit's author or committer as they are shown. */
export const shownIdentity = ({ name, email }: Identity): { name: string; email: string } => ({
  name: shortened(name, mostShown.name),
  email: shortened(email, mostShown.name),
});

/** A commit in the form that branches and hook payloads show, without the paths that it touched. */
export function presentPayloadCommit(
  { config }: View,
  { owner, repository }: Pick<RepositoryDetails, "owner" | "repository">,
  { id, commit, signature, people }: PresentedCommit,
): PayloadCommitJson {
  const person = (identity: Identity) => ({
    ...shownIdentity(identity),
    username: people.get(identity.email.toLowerCase())?.name ?? "",
  });
  const isShown = signature !== undefined && signature.payload.length <= mostShown.message;
  return {
    id,
    message: shownMessage(commit),
    url: linkTo(config, owner.name, repository.name, "commit", id),
    author: person(commit.author),
    committer: person(commit.committer),
    verification: {
      verified: false,
      reason: signature === undefined ? "gpg.error.not_signed_commit" : "gpg.error.no_gpg_keys_found",
      signature: isShown ? signature.signature : "",
      signer: null,
      payload: isShown ? signature.payload.toString("utf8") : "",
    },
    timestamp: timestamp(Math.min(Math.max(commit.author.seconds, 0), latestSeconds)),
    added: null,
    removed: null,
    modified: null,
  };
}
