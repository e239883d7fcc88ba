import type { RunEvent } from "../run/run-events.ts";

/** What a workflow listens to: the filters of one event. Absent ones filter nothing. */
export interface Trigger {
  readonly types?: readonly string[];
  readonly branches?: readonly string[];
  readonly branchesIgnore?: readonly string[];
  readonly tags?: readonly string[];
  readonly tagsIgnore?: readonly string[];
  readonly paths?: readonly string[];
  readonly pathsIgnore?: readonly string[];
  /** It has a filter that nobody knows: it never matches (semantics §64.2). */
  readonly isUnknown?: true;
}

/** An input of a dispatch. */
export interface WorkflowInput {
  readonly type: string;
  readonly isRequired: boolean;
  readonly default?: string;
  readonly options?: readonly string[];
}

/** A matrix as it is written. */
export interface Matrix {
  readonly axes: Readonly<Record<string, readonly unknown[]>>;
  readonly include: readonly Readonly<Record<string, unknown>>[];
  readonly exclude: readonly Readonly<Record<string, unknown>>[];
}

/** A job as it is written: its name and labels may hold expressions. */
export interface WorkflowJob {
  readonly key: string;
  readonly name?: string;
  readonly needs: readonly string[];
  readonly runsOn: readonly string[];
  readonly hasCondition: boolean;
  readonly matrix?: Matrix;
  readonly mostAtOnce?: number;
}

/** Which runs exclude each other; absent members are not said. */
export interface Concurrency {
  /** May hold expressions. */
  readonly group?: string;
  readonly cancelsInProgress?: boolean;
  /** The same as an expression. */
  readonly cancelsWhen?: string;
}

/** A workflow, without its steps. */
export interface Workflow {
  /** Empty when it has none. */
  readonly name: string;
  /** Title of its runs, which may hold expressions. */
  readonly runName?: string;
  readonly triggers: Readonly<Partial<Record<RunEvent, Trigger>>>;
  /** The texts of its cron specs, not looked at yet. */
  readonly crons: readonly string[];
  readonly inputs: Readonly<Record<string, WorkflowInput>>;
  readonly concurrency: Concurrency;
  readonly jobs: readonly WorkflowJob[];
}

/** A workflow, or why its file is none. */
export type WorkflowReading = { readonly workflow: Workflow } | { readonly problem: string };

/** A mistake in a workflow, told to its author. */
export class WorkflowMistake extends Error {}

/** The bounds of one workflow. */
export const most = {
  jobs: 256,
  /** All of them as JSON: with the state of each they have to fit into the run's item. */
  jobsBytes: 128 * 1024,
  /** How deeply values of a matrix are nested: items of DynamoDB have 32 levels. */
  matrixLevels: 20,
  /** Combinations of a matrix, before some are taken out. */
  combinations: 1_024,
  axes: 16,
  needs: 64,
  labels: 16,
  labelCharacters: 128,
  crons: 20,
  filters: 100,
  filterCharacters: 500,
  inputs: 25,
  nameCharacters: 255,
} as const;
