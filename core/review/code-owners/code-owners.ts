import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { diffLimits } from "../../code/commit-details.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { sideOf } from "../../git/diff/file-change.ts";
import { diffTrees } from "../../git/diff/tree-diff.ts";
import { directoryMode, entryName } from "../../git/format/tree.ts";
import { findEntry } from "../../git/history/tree-entry.ts";
import type { PullRequest } from "../../pull/pull.table.ts";
import type { PullSides } from "../../pull/sides.ts";
import { listTeams } from "../../team/list.ts";
import type { Team } from "../../team/team.table.ts";
import { findVisibleUser } from "../../user/find.ts";
import type { User } from "../../user/user.table.ts";
import { askAll, askedOf } from "../request.ts";
import { mayRead, mayTeamRead } from "../reviewers.ts";
import { ownersOfTask } from "./code-owners-task.ts";

/** The first of these in the base branch names who owns which files (semantics §47). */
const places = ["CODEOWNERS", "docs/CODEOWNERS", ".gitea/CODEOWNERS", ".forgejo/CODEOWNERS"];
/** What is read of it, and whom it asks. */
const most = { bytes: 64 * 1024, owners: 15 };

/**
 * The names of those who own the files that a new request changes, as CODEOWNERS of its base says: `user`, or
 * `organization/team`. RateLimited and Unavailable when the caller has no turn to find out; none when it takes too long.
 */
export async function findCodeOwners(forge: Forge, sides: PullSides): Promise<readonly string[]> {
  try {
    const text = await readFile(sides);
    if (text === undefined) return [];
    return await sides.code.history.compute(ownersOfTask, { text, paths: await changedPaths(sides) });
  } catch (error) {
    if (isForgeError(error, "rate-limited") || isForgeError(error, "unavailable")) throw error;
    forge.log.warn("review:code-owners-not-found", { error });
    return [];
  }
}

/**
 * Asks these owners of files for a review of a new request, except its author and users who can't read it. True when
 * somebody was asked. Never throws: the request is open already.
 */
export async function askCodeOwners(
  forge: Forge,
  access: RepositoryAccess,
  pull: PullRequest,
  names: readonly string[],
  actor: Actor,
): Promise<boolean> {
  if (names.length === 0) return false;
  try {
    const owners = await findOwners(forge, access, pull, names, actor);
    const asked = await askedOf(forge, access, pull, owners);
    return (await askAll(forge, access, pull.number, asked.slice(0, most.owners), actor)).length > 0;
  } catch (error) {
    const { repositoryId, number } = pull;
    forge.log.warn("review:code-owners-not-asked", { repositoryId, number, error });
    return false;
  }
}

async function readFile({ code: { history }, baseId }: PullSides): Promise<string | undefined> {
  const { tree } = await history.links(baseId);
  for (const path of places) {
    const entry = await findEntry(history, tree, path);
    if (entry === undefined || entry.mode === directoryMode) continue;
    if (history.sizeOf(entry.id) > most.bytes) return undefined;
    return (await history.object(entry.id)).data.toString("utf8");
  }
  return undefined;
}

async function changedPaths({ code: { history }, mergeBase, headId }: PullSides): Promise<string[]> {
  const [before, after] = [(await history.links(mergeBase)).tree, (await history.links(headId)).tree];
  const { changes } = await diffTrees(history, before, after, diffLimits);
  return changes.map((change) => entryName(sideOf(change).path));
}

async function findOwners(
  forge: Forge,
  { repository, owner }: RepositoryAccess,
  { authorId }: PullRequest,
  names: readonly string[],
  actor: Actor,
): Promise<{ readonly users: readonly User[]; readonly teams: readonly Team[] }> {
  const users: User[] = [];
  for (const name of names.filter((one) => !one.includes("/"))) {
    const user = await findVisibleUser(forge, actor, name);
    if (user !== undefined && user.id !== authorId && (await mayRead(forge, repository, user)))
      users.push(user);
  }
  const hasTeams = owner.kind === "organization" && names.some((one) => one.includes("/"));
  const teams = hasTeams ? await listTeams(forge, owner.id) : [];
  const isNamed = ({ name }: Team) => names.includes(`${owner.name}/${name}`.toLowerCase());
  return { users, teams: teams.filter((team) => isNamed(team) && mayTeamRead(repository, team)) };
}
