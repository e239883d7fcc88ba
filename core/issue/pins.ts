import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { badRequest, missingRights } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { absent, equals } from "../table/condition.ts";
import { keyText, put, type Write } from "../table/write.ts";
import { changeIssue, rewriteIssue } from "./change/change.ts";
import { entryChange } from "./change/plan-change.ts";
import { entryIds } from "./change/timeline.ts";
import { type Issue, type IssueKind, issueKey, type Pins, pinsKey } from "./issue.table.ts";
import { isIssueReadable } from "./rights.ts";

/** The most pinned issues of a repository, and the most pinned pulls. */
const mostPinned = 3;

type PinnedNumbers = readonly number[];

/**
 * Pins an issue or pull behind the others of its kind; does nothing when it is pinned. 400 when there are 3 already.
 */
export async function addPin(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  await rearrange(forge, access, number, actor, (pinned) => {
    if (pinned.includes(number)) return pinned;
    if (pinned.length < mostPinned) return [...pinned, number];
    throw badRequest(`at most ${mostPinned} may be pinned: unpin another one first`);
  });
}

/** Unpins an issue or pull, and closes the gap; does nothing when it is not pinned. */
export async function removePin(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  await rearrange(forge, access, number, actor, (pinned) => pinned.filter((one) => one !== number));
}

/**
 * Moves a pinned issue or pull to a position, counted from 1: behind all when that is past the last. Does nothing when
 * it is not pinned; 400 for a position below 1.
 */
export async function movePin(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  position: number,
  actor: Actor,
): Promise<void> {
  await rearrange(forge, access, number, actor, (pinned) => {
    if (position < 1) throw badRequest("the position must be 1 or greater");
    if (!pinned.includes(number)) return pinned;
    const others = pinned.filter((one) => one !== number);
    return [...others.slice(0, position - 1), number, ...others.slice(position - 1)];
  });
}

/** The pinned issues or pulls of a repository in their order. Forbidden for callers who may not read the kind. */
export async function listPinnedIssues(
  forge: Forge,
  { repository, rights }: RepositoryAccess,
  kind: IssueKind = "issue",
): Promise<Issue[]> {
  if (!isIssueReadable(rights, kind)) throw missingRights(`this needs read rights on the ${kind}s`);
  const { [kind]: numbers } = await findPins(forge, repository.id);
  const keys = numbers.map((number) => issueKey(repository.id, number));
  const found = await forge.table.getAll<Issue>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}

/** Whether one more issue, or one more pull, may be pinned. */
export async function isPinnable(
  forge: Forge,
  { repository }: RepositoryAccess,
): Promise<Readonly<Record<IssueKind, boolean>>> {
  const { issue, pull } = await findPins(forge, repository.id);
  return { issue: issue.length < mostPinned, pull: pull.length < mostPinned };
}

/**
 * Belongs in the transaction that removes an issue: unpins it, and moves the others up. Nothing for an issue that was
 * not pinned.
 */
export async function unpinWrites(forge: Forge, issue: Issue): Promise<Write[]> {
  const pins = await findPins(forge, issue.repositoryId);
  if (!pins[issue.kind].includes(issue.number)) return [];
  const left = pins[issue.kind].filter((one) => one !== issue.number);
  return arrangeWrites(forge, issue, pins, left);
}

async function findPins({ table }: Forge, repositoryId: number): Promise<Pins> {
  const key = pinsKey(repositoryId);
  return (await table.get<Pins>(key)) ?? { ...key, issue: [], pull: [], v: 0, _v: 1 };
}

async function rearrange(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
  next: (pinned: PinnedNumbers) => PinnedNumbers,
): Promise<void> {
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, async (issue) => {
    const pins = await findPins(forge, access.repository.id);
    const before = pins[issue.kind];
    const after = next(before);
    if (after.join() === before.join()) return undefined;
    const writes = await arrangeWrites(forge, issue, pins, after);
    const moved = { ...issue, pin: after.indexOf(number) + 1 };
    const isPinned = after.includes(number);
    if (isPinned && before.includes(number)) return { issue: moved, entries: [], events: [], writes };
    const changing = { actor, at: nowSeconds(forge.clock), entryIds: drawIds };
    const change = await entryChange(moved, { type: isPinned ? "pin" : "unpin" }, changing);
    return { ...change, writes };
  });
}

/** The new order of one kind, and the other issues whose place changes; each on the condition that it is as read. */
async function arrangeWrites(
  { table }: Forge,
  { repositoryId, number, kind }: Issue,
  pins: Pins,
  after: PinnedNumbers,
): Promise<Write[]> {
  const keys = after.filter((one) => one !== number).map((one) => issueKey(repositoryId, one));
  const others = [...(await table.getAll<Issue>(keys)).values()];
  const moved = others.flatMap((other) => {
    const pin = after.indexOf(other.number) + 1;
    return pin === other.pin ? [] : rewriteIssue(other, { pin });
  });
  const asRead = pins.v === 0 ? absent : equals({ v: pins.v });
  return [put({ ...pins, [kind]: after, v: pins.v + 1 }, asRead), ...moved];
}
