import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { diffLimits } from "../code/commit-details.ts";
import type { Forge } from "../forge.ts";
import { sideOf } from "../git/diff/file-change.ts";
import { diffTrees } from "../git/diff/tree-diff.ts";
import { directoryMode, entryName } from "../git/format/tree.ts";
import { findEntry } from "../git/history/tree-entry.ts";
import { MatchTime } from "../pattern/match-time.ts";
import { expressionProblem, Patterns } from "../pattern/patterns.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import type { PullSides } from "../pull/sides.ts";
import { listTeams } from "../team/list.ts";
import type { Team } from "../team/team.table.ts";
import { findVisibleUser } from "../user/find.ts";
import type { User } from "../user/user.table.ts";
import { askAll, askedOf } from "./request.ts";
import { mayRead, mayTeamRead } from "./reviewers.ts";

/** The first of these in the base branch names who owns which files (semantics §47). */
const places = ["CODEOWNERS", "docs/CODEOWNERS", ".gitea/CODEOWNERS", ".forgejo/CODEOWNERS"];
/** What is read of it, and whom it asks; further lines and owners have no effect. */
const most = { bytes: 64 * 1024, rules: 200, expression: 500, owners: 15, matchMs: 2_000 };

interface OwnerRule {
  readonly expression: string;
  /** The rule is for changes in which no file matches. */
  readonly isNegative: boolean;
  /** `user` or `organization/team`. */
  readonly owners: readonly string[];
}

/**
 * Asks the owners of the files that a new request changes for a review, except its author and users who can't read it.
 * True when somebody was asked. Never throws: the request is open already.
 */
export async function askCodeOwners(
  forge: Forge,
  access: RepositoryAccess,
  pull: PullRequest,
  sides: PullSides,
  actor: Actor,
): Promise<boolean> {
  try {
    const rules = await readRules(sides);
    if (rules.length === 0) return false;
    const names = await ownersOf(rules, sides);
    const owners = await findOwners(forge, access, pull, names, actor);
    const asked = await askedOf(forge, access, pull, owners);
    return (await askAll(forge, access, pull.number, asked.slice(0, most.owners), actor)).length > 0;
  } catch (error) {
    const { repositoryId, number } = pull;
    forge.log.warn("review:code-owners-not-asked", { repositoryId, number, error });
    return false;
  }
}

async function readRules({ code: { history }, baseId }: PullSides): Promise<OwnerRule[]> {
  const { tree } = await history.links(baseId);
  for (const path of places) {
    const entry = await findEntry(history, tree, path);
    if (entry === undefined || entry.mode === directoryMode) continue;
    if (history.sizeOf(entry.id) > most.bytes) return [];
    return rulesOf((await history.object(entry.id)).data.toString("utf8"));
  }
  return [];
}

/** An expression and its owners on each line; `#` begins a comment. Lines that can't be read have no effect. */
async function rulesOf(text: string): Promise<OwnerRule[]> {
  const rules: OwnerRule[] = [];
  for (const line of text.split("\n")) {
    const [first = "", ...named] = line
      .replace(/(^|\s)#.*$/, "")
      .trim()
      .split(/\s+/);
    const owners = named.flatMap((one) => (one.startsWith("@") ? [one.slice(1).toLowerCase()] : []));
    const isNegative = first.startsWith("!");
    const expression = isNegative ? first.slice(1) : first;
    if (expression === "" || expression.length > most.expression || owners.length === 0) continue;
    if ((await expressionProblem(expression)) !== undefined) continue;
    rules.push({ expression, isNegative, owners });
    if (rules.length >= most.rules) break;
  }
  return rules;
}

/** The owners of what changes, in the order of their lines. */
async function ownersOf(rules: readonly OwnerRule[], sides: PullSides): Promise<string[]> {
  const { history } = sides.code;
  const [before, after] = [
    (await history.links(sides.mergeBase)).tree,
    (await history.links(sides.headId)).tree,
  ];
  const { changes } = await diffTrees(history, before, after, diffLimits);
  const patterns = new Patterns(rules.map(({ expression }) => expression));
  const time = new MatchTime({ mostMs: most.matchMs });
  const matched = new Set<number>();
  for (const change of changes) {
    for (const at of await patterns.matching(entryName(sideOf(change).path), time)) matched.add(at);
  }
  return [
    ...new Set(rules.flatMap(({ isNegative, owners }, at) => (matched.has(at) === isNegative ? [] : owners))),
  ].slice(0, most.owners);
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
