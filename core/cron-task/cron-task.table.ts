import type { Item, TableKey } from "../table/write.ts";

/**
 * One item for all cron tasks: `<name>At` is when a task last succeeded, in milliseconds, `<name>Times` how often it
 * has.
 */
export interface CronTaskRuns extends Item {
  readonly [field: `${string}At` | `${string}Times`]: number;
}

/** The key of that item. */
export const cronTaskRunsKey: TableKey = { pk: "DUTIES", sk: "#" };
