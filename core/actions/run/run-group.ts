import { attempts } from "../../concurrency/attempts.ts";
import type { Forge } from "../../forge.ts";
import { absent, equals } from "../../table/condition.ts";
import { keyText, put, remove, type Write } from "../../table/write.ts";
import { type GroupMember, type Run, type RunGroup, runGroupKey, runKey } from "../actions.table.ts";
import { cancelRun } from "../job/end-job.ts";
import { isRunOver, settleJobs } from "../job/job-states.ts";
import { changeRun } from "./change-run.ts";

/** A new run fails when so many of its group wait already. */
export const mostMembers = 100;

/** The group that a run is to enter: it cancels those in it, waits for them, or does neither. */
export interface GroupWish {
  readonly group: string;
  readonly cancels: boolean;
  readonly waits: boolean;
}

/** The same, with who is in it. */
export interface FoundGroup extends GroupWish {
  readonly members: readonly GroupMember[];
  readonly v: number;
}

/** Reads the group that a run is to enter. */
export async function findGroup(
  { table }: Pick<Forge, "table">,
  repositoryId: number,
  wish: GroupWish,
): Promise<FoundGroup> {
  const found = await table.get<RunGroup>(runGroupKey(repositoryId, wish.group));
  return { ...wish, members: found?.members ?? [], v: found?.v ?? 0 };
}

/** Takes a new run into its group, for the transaction that makes it. */
export function enterGroup({ group, cancels, members, v }: FoundGroup, run: Run): Write {
  const item: RunGroup = {
    ...runGroupKey(run.repositoryId, group),
    members: [...members, { number: run.number, cancels }],
    v: v + 1,
    _v: 1,
  };
  return put(item, v === 0 ? absent : equals({ v }));
}

/**
 * Brings a group in order: those before one that cancels are cancelled, those that are over leave, and the first that
 * waits starts once nobody runs. May be repeated: a run's end, or a new member, asks for it.
 */
export async function settleGroup(forge: Forge, repositoryId: number, group: string): Promise<void> {
  for await (const _attempt of attempts()) {
    const key = runGroupKey(repositoryId, group);
    const found = await forge.table.get<RunGroup>(key);
    if (found === undefined) return;
    const left = await leftOf(forge, repositoryId, found.members);
    const isAsRead = equals({ v: found.v });
    if (left.length < found.members.length) {
      const members = left.map(({ member }) => member);
      const kept =
        members.length === 0 ? remove(key, isAsRead) : put({ ...found, members, v: found.v + 1 }, isAsRead);
      if (!(await forge.table.write(kept))) continue;
    }
    const [first] = left;
    if (first?.run.isQueued === true) await startQueued(forge, first.run);
    return;
  }
}

/** The members that are not over, once those that others cancel are. */
async function leftOf(forge: Forge, repositoryId: number, members: readonly GroupMember[]) {
  const newest = members.findLastIndex(({ cancels }) => cancels);
  for (const { number } of members.slice(0, Math.max(0, newest)))
    await cancelRun(forge, { repositoryId, number });
  const keys = members.map(({ number }) => runKey(repositoryId, number));
  const runs = await forge.table.getAll<Run>(keys);
  return members.flatMap((member, at) => {
    const run = runs.get(keyText(keys[at] ?? runKey(0, 0)));
    return run === undefined || isRunOver(run) ? [] : [{ member, run }];
  });
}

const startQueued = (forge: Forge, { repositoryId, number }: Run): Promise<Run | undefined> =>
  changeRun(forge, repositoryId, number, ({ isQueued, needsApproval, jobs }) => {
    if (isQueued !== true) return undefined;
    const set = needsApproval === true ? {} : { jobs: settleJobs(jobs) };
    return { set, unset: ["isQueued"] };
  });
