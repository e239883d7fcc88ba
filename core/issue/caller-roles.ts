import type { Actor } from "../actor.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { mentionedIssuesOf } from "../reference/reference.table.ts";
import { askedPullsOf, askedPullsOfTeam, reviewedPullsOf } from "../review/review.table.ts";
import type { Query } from "../table.ts";
import { type MembershipMirror, membershipMirrorsOf } from "../team/team.table.ts";
import { assignedIssuesOf, createdIssuesOf, type UserIssueRow } from "./issue.table.ts";

/** The caller's relation to an issue or pull: each is a list of their own. */
const rowsOfRole = {
  created: createdIssuesOf,
  assigned: assignedIssuesOf,
  mentioned: (userId: number) => mentionedIssuesOf(userId),
  reviewRequested: askedPullsOf,
  reviewed: reviewedPullsOf,
} as const satisfies Record<string, (userId: number) => Query>;
export type CallerRole = keyof typeof rowsOfRole;

/** Numbers of issues by repository. */
export type NumbersByRepository = ReadonlyMap<number, ReadonlySet<number>>;

/** Rows that are read of one list, the newest; and teams of the caller that are looked at. */
const most = { rows: 20_000, teams: 50 };

interface Rows {
  readonly rows: readonly UserIssueRow[];
  /** There are no others. */
  readonly isWhole: boolean;
}

/** The numbers of the issues to which the caller has all of these roles; undefined when none is asked for. */
export async function numbersOfCaller(
  forge: Forge,
  actor: Actor | undefined,
  roles: readonly CallerRole[],
): Promise<{ readonly numbers: NumbersByRepository; readonly isWhole: boolean } | undefined> {
  if (actor === undefined || roles.length === 0) return undefined;
  const lists = await Promise.all(roles.map((role) => listRows(forge, actor.user.id, role)));
  const [first = new Map<number, ReadonlySet<number>>(), ...others] = lists.map(({ rows }) =>
    byRepository(rows),
  );
  const numbers = new Map<number, ReadonlySet<number>>();
  for (const [repositoryId, own] of first) {
    const common = [...own].filter((number) => others.every((other) => other.get(repositoryId)?.has(number)));
    if (common.length > 0) numbers.set(repositoryId, new Set(common));
  }
  return { numbers, isWhole: lists.every(({ isWhole }) => isWhole) };
}

/** Whoever is in a team that is asked for a review is asked, too. */
async function listRows(forge: Forge, userId: number, role: CallerRole): Promise<Rows> {
  const own = await readRows(forge, rowsOfRole[role](userId));
  if (role !== "reviewRequested") return own;
  const memberships = await forge.table.queryAll<MembershipMirror>(membershipMirrorsOf(userId));
  const teamIds = memberships.flatMap((one) => one.teamIds);
  const ofTeams = await Promise.all(
    teamIds.slice(0, most.teams).map((id) => readRows(forge, askedPullsOfTeam(id))),
  );
  const all = [own, ...ofTeams];
  const isWhole = teamIds.length <= most.teams && all.every((one) => one.isWhole);
  return { rows: all.flatMap(({ rows }) => rows), isWhole };
}

async function readRows({ table }: Forge, list: Query): Promise<Rows> {
  const rows: UserIssueRow[] = [];
  let after: string | undefined;
  do {
    const page = await table.query<UserIssueRow>({ ...list, reverse: true, ...defined({ after }) });
    rows.push(...page.items);
    after = page.next;
  } while (after !== undefined && rows.length < most.rows);
  return { rows, isWhole: after === undefined };
}

function byRepository(rows: readonly UserIssueRow[]): ReadonlyMap<number, ReadonlySet<number>> {
  const numbers = new Map<number, Set<number>>();
  for (const { repositoryId, number } of rows) {
    const known = numbers.get(repositoryId) ?? new Set();
    numbers.set(repositoryId, known.add(number));
  }
  return numbers;
}
