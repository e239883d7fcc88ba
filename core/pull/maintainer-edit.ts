import { accountProblem } from "../access/account.ts";
import { grantChecks } from "../access/grants.ts";
import { accessMode, modeOf } from "../access/modes.ts";
import { isHiddenFromToken } from "../access/public-only.ts";
import { type FoundAccess, findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { RefChange, Verdict } from "../git/refs/check-changes.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { issueKey } from "../issue/issue.table.ts";
import type { Pusher } from "../repository/pusher.ts";
import { equals } from "../table/condition.ts";
import { check, type Item, keyText, type Write } from "../table/write.ts";
import { findUserById } from "../user/find.ts";
import { type OpenPullRow, openPullsFrom, openPullsFromAnyBranch, type PullRequest } from "./pull.table.ts";

/*
 * A request may let those who may write to its base push to its head branch, in a repository where they may only read
 * (semantics §45). Its author gives away a right of their own: it counts while they may write there themselves, else
 * anybody could open a request from a branch of others into a repository of theirs, and push to that branch.
 */

/** Most branches of one push, and most requests from each that are looked at. */
const most = { branches: 10, requests: 50 } as const;
/** Most requests from any branch that are looked at before a push begins, and most repositories that they go into. */
const mostAhead = { requests: 200, bases: 10 } as const;

const guestText = "you may push here only to branches whose pull requests let maintainers edit them";

/**
 * What somebody who may only read a repository may change there, in order, with the checks for the transaction;
 * undefined when it is nothing. Their branches must be there before and after.
 */
export async function judgeGuest(
  forge: Forge,
  { actor, access }: Pusher,
  changes: readonly RefChange[],
): Promise<{ readonly verdicts: readonly Verdict[]; readonly checks: readonly Write[] } | undefined> {
  const verdicts: Verdict[] = [];
  const checks = new Map<string, Write>();
  let left: number = most.branches;
  for (const { name, old, new: id } of changes) {
    const mayBe = name.startsWith(branchPrefix) && old !== undefined && id !== undefined && left-- > 0;
    const branch = name.slice(branchPrefix.length);
    const rests = mayBe ? await findPermission(forge, actor, access, branch) : undefined;
    verdicts.push(rests === undefined ? guestText : undefined);
    for (const [key, one] of rests ?? []) checks.set(key, one);
  }
  return checks.size === 0 ? undefined : { verdicts, checks: [...checks.values()] };
}

/** What the permission to push to a branch rests on, by key: an open request, and the rights of two people. */
async function findPermission(
  forge: Forge,
  actor: Actor,
  head: FoundAccess,
  branch: string,
): Promise<ReadonlyMap<string, Write> | undefined> {
  const place = openPullsFrom(head.repository.id, branch);
  const { items } = await forge.table.query<OpenPullRow>({ ...place, limit: most.requests });
  for (const pull of await lettingRequests(forge, head.repository.id, items)) {
    const base = await findAccessById(forge, actor, pull.repositoryId);
    if (base === undefined || !mayMaintain(actor, base)) continue;
    const author = await findUserById(forge, pull.authorId);
    if (author === undefined || accountProblem(author) !== undefined) continue;
    const own = await findAccessById(forge, { user: author }, head.repository.id, head.owner.id);
    if (own === undefined || modeOf(own.rights, "code") < accessMode.write) continue;
    const grants: readonly Item[] = [...head.grants, ...base.grants, ...own.grants];
    const isAsRead = check(issueKey(pull.repositoryId, pull.number), equals({ v: pull.v }));
    return new Map([
      [keyText(pull), isAsRead],
      ...grants.map((grant): [string, Write] => [keyText(grant), ...(grantChecks([grant]) as [Write])]),
    ]);
  }
  return undefined;
}

/** Those of a repository's open requests into others that let maintainers edit their heads. */
async function lettingRequests(
  { table }: Forge,
  headRepositoryId: number,
  rows: readonly OpenPullRow[],
): Promise<PullRequest[]> {
  const keys = rows
    .filter(({ repositoryId }) => repositoryId !== headRepositoryId)
    .map(({ repositoryId, number }) => issueKey(repositoryId, number));
  const found = await table.getAll<PullRequest>(keys);
  return [...found.values()].filter(
    ({ isClosed, pull }) =>
      !isClosed && pull.allowsMaintainerEdit && pull.headRepositoryId === headRepositoryId,
  );
}

const mayMaintain = (actor: Actor, base: RepositoryAccess): boolean =>
  modeOf(base.rights, "code") >= accessMode.write &&
  modeOf(base.rights, "pulls") >= accessMode.read &&
  !base.repository.isArchived &&
  !isHiddenFromToken(actor, base);

/**
 * Whether somebody who may only read a repository may have a branch there to push to: whoever has none is refused
 * before they send anything (D-REFUSE).
 */
export async function mayBeGuest(forge: Forge, actor: Actor, repositoryId: number): Promise<boolean> {
  const place = openPullsFromAnyBranch(repositoryId);
  const { items } = await forge.table.query<OpenPullRow>({ ...place, limit: mostAhead.requests });
  const baseIds = new Set(items.map((row) => row.repositoryId));
  baseIds.delete(repositoryId);
  for (const id of [...baseIds].slice(0, mostAhead.bases)) {
    const base = await findAccessById(forge, actor, id);
    if (base === undefined || !mayMaintain(actor, base)) continue;
    const rows = items.filter((row) => row.repositoryId === id);
    if ((await lettingRequests(forge, repositoryId, rows)).length > 0) return true;
  }
  return false;
}
