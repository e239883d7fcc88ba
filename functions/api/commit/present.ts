import type { RepositoryAccess } from "#core/access/repository-access";
import type { CommitDetails } from "#core/code/commit-details";
import { commitMessage } from "#core/git/format/commit";
import type { Identity } from "#core/git/format/identity";
import type { ObjectId } from "#core/git/format/object-format";
import { shortened } from "#core/text";
import type { User } from "#core/user/user.table";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { clampedTimestamp, unsetTimestamp } from "../../http/timestamps.ts";
import { presentUser } from "../user/present.ts";
import type { CommitJson } from "./schema.ts";
import { presentVerification } from "./verification.ts";

/** Texts in commits have no bound: an answer shows as much as a body or a name may have (D-TEXT). */
export const mostShown = { message: 65_536, name: 255 };

/** Which repository a commit is shown in. */
export type Place = Pick<RepositoryAccess, "owner" | "repository">;

/** A commit with its people: accounts by their addresses in lower case (semantics §32, §38). */
export function presentCommit(
  view: View,
  place: Place,
  details: CommitDetails,
  people: ReadonlyMap<string, User>,
): CommitJson {
  const { id, commit, verification, files, stats } = details;
  const { author, committer } = commit;
  const created = clampedTimestamp(committer.seconds);
  const account = ({ email }: Identity) => {
    const user = people.get(email.toLowerCase());
    return user === undefined ? null : presentUser(view, user);
  };
  return {
    url: gitLink(view, place, "commits", id),
    sha: id,
    created,
    html_url: commitLink(view, place, id),
    commit: {
      url: gitLink(view, place, "commits", id),
      author: presentIdentity(author, zonedTimestamp(author)),
      committer: presentIdentity(committer, zonedTimestamp(committer)),
      message: shortened(commitMessage(commit), mostShown.message),
      tree: { ...presentObject(view, place, "trees", commit.tree), created },
      verification: verification === undefined ? null : presentVerification(view, verification),
    },
    author: account(author),
    committer: account(committer),
    parents: presentParents(view, place, commit.parents),
    files: files?.map(({ path, status }) => ({ filename: path, status })) ?? null,
    stats: stats === undefined ? null : { total: stats.additions + stats.deletions, ...counts(stats) },
  };
}

const counts = ({ additions, deletions }: { additions: number; deletions: number }) => ({
  additions,
  deletions,
});

/** The person and time of an act. */
export const presentIdentity = ({ name, email }: Identity, date: string) => ({
  name: shortened(name, mostShown.name),
  email: shortened(email, mostShown.name),
  date,
});

/** A commit or tree by id alone, without its time. */
export const presentObject = (
  view: Pick<View, "config">,
  place: Place,
  kind: "commits" | "trees",
  id: ObjectId,
) => ({ url: gitLink(view, place, kind, id), sha: id, created: unsetTimestamp });

/** As `presentObject`: people write commits with thousands of parents. */
function presentParents(view: Pick<View, "config">, place: Place, ids: readonly ObjectId[]) {
  const commits = gitLink(view, place, "commits");
  return ids.map((id) => ({ url: `${commits}/${id}`, sha: id, created: unsetTimestamp }));
}

/** The API's address of a git object. */
export const gitLink = (
  { config }: Pick<View, "config">,
  { owner, repository }: Place,
  ...segments: string[]
): string => apiLinkTo(config, "repos", owner.name, repository.name, "git", ...segments);

/** The address of a commit for people. */
export const commitLink = (
  { config }: Pick<View, "config">,
  { owner, repository }: Place,
  id: ObjectId,
): string => linkTo(config, owner.name, repository.name, "commit", id);

/** A moment in its own zone, as RFC 3339. */
export function zonedTimestamp({ seconds, timezone }: Pick<Identity, "seconds" | "timezone">): string {
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d)(\d\d)$/.exec(timezone) ?? [];
  const east = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const isUtc = east === 0 || sign === undefined || Number(hours) > 23 || Number(minutes) > 59;
  if (isUtc) return clampedTimestamp(seconds);
  return clampedTimestamp(seconds + east * 60).replace("Z", `${sign}${hours}:${minutes}`);
}
