import type { Forge } from "../../forge.ts";
import { issuePartition } from "../../issue/issue.table.ts";
import { timesOfIssue } from "../change.ts";
import { rowKeys, type TrackedTime, timeKey, userTimes } from "../tracked-time.table.ts";

/** Removes the times of an issue that is hidden from everybody already. May be repeated. */
export async function forgetTimesOfIssue(forge: Forge, repositoryId: number, number: number): Promise<void> {
  const times = await timesOfIssue(forge, { pk: issuePartition(repositoryId, number) });
  // At the issue last: a job that was killed finds the rest there.
  await forge.table.removeAll(times.flatMap(rowKeys));
  await forge.table.removeAll(times);
}

const timesPerStep = 100;

/** Removes times of a purged user (B-14), a bounded number; answers how many. */
export async function forgetSomeTimes({ table }: Forge, userId: number): Promise<number> {
  const { items } = await table.query<TrackedTime>({ pk: userTimes(userId), limit: timesPerStep });
  await table.removeAll(
    items.map(({ repositoryId, issueNumber, id }) => timeKey(repositoryId, issueNumber, id)),
  );
  await table.removeAll(items.flatMap((time) => rowKeys(time)));
  return items.length;
}
