import { actionSecretsFor } from "../action-secret/action-secret.ts";
import { actionVariablesFor } from "../action-variable/action-variable.ts";
import { type RunSource, taskKey } from "../actions/actions.table.ts";
import { updateJobState } from "../actions/job/end-job.ts";
import { type JobState, runStateOf } from "../actions/job/job-states.ts";
import type { ActionsPlace } from "../actions/place.ts";
import { type ClaimedJob, claimJob } from "../actions/queue/claim-job.ts";
import { type RunnerLevel, waitCounterKey } from "../actions/queue/queue.table.ts";
import { findTask, getRunSource } from "../actions/run/run.ts";
import { workflowOfJob } from "../actions/workflow/job-workflow-task.ts";
import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { grouped } from "../grouped.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals, exists } from "../table/condition.ts";
import { keyText, update } from "../table/write.ts";
import { type CallingRunner, isSeenDue } from "./authentication.ts";
import { runnerLook } from "./look-at-runner.ts";
import { readOutputs } from "./outputs.ts";
import { type Runner, runnerKey } from "./runner.table.ts";
import { isRunnerOff } from "./runner.ts";
import { makeTaskToken, type ServedTask, taskTokenHash } from "./task.ts";

/** What a job needs of another: how that ended, and what it put out. */
export interface TaskNeed {
  readonly state: JobState;
  readonly outputs: Readonly<Record<string, string>>;
}

/** A task as its runner gets it. */
export interface FetchedTask extends ClaimedJob {
  readonly owner: Owner;
  readonly source: RunSource;
  readonly token: string;
  /** The workflow of this one job, as YAML. */
  readonly payload: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly needs: Readonly<Record<string, TaskNeed>>;
}

/** The queues that a runner of a place looks into. */
export function levelOf(place: ActionsPlace): RunnerLevel {
  if (place.kind === "global") return place;
  return place.kind === "repository"
    ? { kind: "repository", repositoryId: place.id }
    : { kind: "owner", ownerId: place.id };
}

/** What is read with a runner that asks for a task: nothing else is, unless something waits. */
export const waitCounterOf = (place: ActionsPlace) => [waitCounterKey(levelOf(place))];

/**
 * A task for a runner, if one waits for it, and how often jobs began to wait for runners of its level. A runner that
 * knows that number gets none, and costs one read (semantics §60.3); every half minute it looks all the same, since a
 * crash may have kept the number from moving.
 */
export async function fetchTask(
  forge: Forge,
  { runner, found }: CallingRunner,
  knownVersion: number,
): Promise<{ readonly version: number; readonly task?: FetchedTask }> {
  const counter = found.get(keyText(waitCounterKey(levelOf(runner.place))));
  const version = 1 + Number(counter?.n ?? 0);
  if (knownVersion === version && !isSeenDue(forge, runner)) return { version };
  if (runner.hasTakenJob === true || (await isOff(forge, runner))) return { version };
  const claimed = await claim(forge, runner);
  const task = claimed && (await contentOf(forge, claimed));
  return { version, ...(task && { task }) };
}

async function isOff({ table }: Forge, runner: Runner): Promise<boolean> {
  if (runner.isDisabled || runner.place.kind !== "repository") return runner.isDisabled;
  const repository = await table.get<Repository>(repositoryKey(runner.place.id));
  return isRunnerOff(runner, repository?.ownerId);
}

/** An ephemeral runner takes one job: a look at it follows, lest it stays when it vanishes. */
async function claim(forge: Forge, runner: Runner): Promise<ClaimedJob | undefined> {
  const { id, place, labels, isEphemeral } = runner;
  const isFirst = update(runnerKey(place, id), { set: { hasTakenJob: true } }, firstJob);
  const seeker = { runnerId: id, level: levelOf(place), labels };
  const look = runnerLook(forge, { ...runner, hasTakenJob: true });
  return claimJob(forge, seeker, {}, isEphemeral ? [isFirst, look] : []);
}

const firstJob = { all: [exists, equals({ hasTakenJob: undefined })] };

/** What a task holds. A job whose file can't be read any more has failed. */
async function contentOf(forge: Forge, claimed: ClaimedJob): Promise<FetchedTask | undefined> {
  const { run, job, repository } = claimed;
  const { repositoryId, number: runNumber } = run;
  const [source, owner] = await Promise.all([
    getRunSource(forge, run),
    forge.table.get<Owner>(ownerKey(repository.ownerId)),
  ]);
  const workflow = await workflowOfJob(forge.compute, { text: source.workflow, job });
  if (owner === undefined || "problem" in workflow) {
    await updateJobState(forge, { repositoryId, runNumber, jobNumber: job.number }, "failure");
    return undefined;
  }
  const places = {
    owner: { kind: owner.kind, id: owner.id },
    repository: { kind: "repository", id: repositoryId, ownerId: owner.id },
  } as const;
  const mayKnowSecrets = run.isFromFork !== true || run.event === "pull_request_target";
  const token = makeTaskToken(repositoryId, job.number);
  const [variables, secrets, needs] = await Promise.all([
    actionVariablesFor(forge, places),
    mayKnowSecrets ? actionSecretsFor(forge, places) : {},
    needsOf(forge, claimed),
    keepToken(forge, claimed, token, workflow.steps),
  ]);
  return { ...claimed, owner, source, token, payload: workflow.payload, variables, secrets, needs };
}

/** A task counts under its token once that is written: a runner that never gets it leaves a task that never speaks. */
async function keepToken(
  { table, clock }: Forge,
  { run, job }: ClaimedJob,
  token: string,
  names: readonly string[],
): Promise<void> {
  const steps = names.map((name) => ({
    ...{ name, state: "waiting", startedAt: 0, stoppedAt: 0, firstLine: 0, lines: 0 },
  }));
  const set = { tokenHash: taskTokenHash(token), steps, heardAt: nowSeconds(clock) };
  await table.write(update(taskKey(run.repositoryId, job.number), { set }, exists));
}

/** The jobs that a job waited for, each key once: of the jobs of a matrix an output that is not empty wins. */
async function needsOf(forge: Forge, { run, job }: ClaimedJob): Promise<Record<string, TaskNeed>> {
  const ofKey = grouped(run.jobs, ({ key }) => key);
  const needs = job.needs.map(async (key): Promise<[string, TaskNeed]> => {
    const jobs = ofKey.get(key) ?? [];
    const tasks = await Promise.all(jobs.map(({ number }) => findTask(forge, run.repositoryId, number)));
    const outputs: Record<string, string> = {};
    for (const task of tasks) {
      const told = task === undefined ? {} : await readOutputs(forge, task as ServedTask);
      for (const [name, value] of Object.entries(told)) outputs[name] = value || (outputs[name] ?? "");
    }
    return [key, { state: runStateOf(jobs), outputs }];
  });
  return Object.fromEntries(await Promise.all(needs));
}
