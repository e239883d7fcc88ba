import type { ObjectId } from "../../git/format/object-format.ts";
import { dueWrite } from "../../jobs/due.ts";
import { repositoryPartition } from "../../repository/repository.table.ts";
import type { Item, TableKey, Write } from "../../table/write.ts";
import type { RunEvent } from "../run/run-events.ts";

/** A cron text of a workflow. Times are whole seconds. */
export interface CronSpec {
  readonly workflow: string;
  readonly cron: string;
  /** 0 before the first time. */
  readonly previousAt: number;
  readonly nextAt: number;
}

/** What the workflows of a repository's default branch plan, and what they listen to (semantics §11.1). */
export interface Plans extends Item {
  readonly repositoryId: number;
  readonly branch: string;
  /** The head of the branch that they were read from; absent: nobody has pushed since it became the default. */
  readonly commitId?: ObjectId;
  /** First line of that commit. */
  readonly title: string;
  readonly specs: readonly CronSpec[];
  /** Absent: not known, as of a branch that nobody has pushed to. */
  readonly events?: readonly RunEvent[];
  readonly v: number;
  readonly _v: 1;
}

export const plansKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "PLANS",
});

/** The workflows of a repository that are switched off, by name. */
export interface DisabledWorkflows extends Item {
  readonly names: readonly string[];
  readonly v: number;
  readonly _v: 1;
}

export const disabledWorkflowsKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "DISABLED",
});

/** The kind of what is due when a repository's next cron text is. */
export const scheduleDueKind = "schedules";

/** Runs a repository's schedules at this time, whole seconds. Another next time in its plans makes it void. */
export interface DueSchedule {
  readonly repositoryId: number;
  readonly at: number;
}

/** When the next of some cron texts is due; undefined when there is none. */
export const nextTimeOf = ({ specs }: Pick<Plans, "specs">): number | undefined =>
  specs.length === 0 ? undefined : Math.min(...specs.map(({ nextAt }) => nextAt));

/** Has the tick look at the plans when they are next due. */
export function scheduleDueWrites(plans: Pick<Plans, "repositoryId" | "specs">): Write[] {
  const at = nextTimeOf(plans);
  if (at === undefined) return [];
  const due: DueSchedule = { repositoryId: plans.repositoryId, at };
  return [dueWrite(scheduleDueKind, at * 1000, String(plans.repositoryId), due)];
}
