import { actionVariablesFor } from "../../action-variable/action-variable.ts";
import { nowSeconds } from "../../clock.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { defined } from "../../defined.ts";
import { conflict } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { branchPrefix, tagPrefix } from "../../git/refs/ref-name.ts";
import { ownerKey } from "../../owner/owner.table.ts";
import type { Owner } from "../../owner/owner.ts";
import type { Repository } from "../../repository/repository.table.ts";
import { repositoryKey } from "../../repository/repository.table.ts";
import { absent } from "../../table/condition.ts";
import { put, type Write } from "../../table/write.ts";
import { wellFormed } from "../../text.ts";
import { type Run, type RunGuard, runGuardKey } from "../actions.table.ts";
import { isActionsOn } from "../actions-on.ts";
import type { Scope } from "../workflow/expression.ts";
import type { FilledWorkflow } from "../workflow/fill-workflow.ts";
import { fillWorkflow } from "../workflow/fill-workflow-task.ts";
import type { WorkflowFile } from "../workflow/find-workflows.ts";
import { most } from "../workflow/workflow.ts";
import { createRun, type NewJob, type NewRun, type RunOrigin } from "./create-run.ts";
import type { RunEvent } from "./run-events.ts";
import {
  enterGroup,
  type FoundGroup,
  findGroup,
  type GroupWish,
  mostMembers,
  settleGroup,
} from "./run-group.ts";

/** Why a workflow runs, and what expressions and steps see of that. */
export type RunCause = RunOrigin & {
  /** The names of the actor and the repository's owner, for expressions. */
  readonly actorName: string;
  readonly ownerName: string;
  /** The payload that steps see. */
  readonly payload: object;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** The newest of its kind counts: it cancels those of the same ref, workflow and event, unless the file says otherwise. */
  readonly supersedes: boolean;
};

/** The most of a payload that is kept: what is larger steps don't see. */
const mostPayloadBytes = 200_000;

/** What else decides whether a run is made. */
export interface StartOptions {
  /** Land with it; their conditions may refuse it. */
  readonly writes?: readonly Write[];
  /** Names the event: it makes one run. */
  readonly once?: string;
}

/** An event does not come again after so long. */
const rememberedSeconds = 4 * 24 * 3600;

/**
 * Makes a run of a workflow; of a file that can't be read, or makes no jobs, one that has failed and says why
 * (semantics §64.1). Undefined when its options refuse it, and when the repository runs no workflows by now.
 */
export async function startRun(
  forge: Forge,
  repository: Repository,
  cause: RunCause,
  file: WorkflowFile,
  { writes = [], once }: StartOptions = {},
): Promise<Run | undefined> {
  const { id: repositoryId } = repository;
  const scope = scopeOf(repository, cause, file, await variablesIn(forge, repository, file));
  const filled = await fillWorkflow(forge.compute, file.reading, scope);
  const wanted = groupOf(filled, cause, file);
  const guard = once === undefined ? undefined : guardOf(forge, repositoryId, once);
  for await (const lost of attempts()) {
    if (guard !== undefined && (await forge.table.get(guard)) !== undefined) return undefined;
    const now = lost === 0 ? repository : await forge.table.get<Repository>(repositoryKey(repositoryId));
    if (now === undefined || !isActionsOn(forge.config, now)) return undefined;
    const group = wanted && (await findGroup(forge, repositoryId, wanted));
    const given = newRunOf(now, cause, file, filled, group);
    const enters = given.problem === undefined ? group : undefined;
    const run = await createRun(forge, given, (made) => [
      ...writes,
      ...(guard ? [put(guard, absent)] : []),
      ...(enters ? [enterGroup(enters, made)] : []),
    ]);
    if (run !== undefined) {
      if (enters !== undefined && enters.members.length > 0)
        await settleGroup(forge, repositoryId, enters.group);
      return run;
    }
    if (writes.length > 0) return undefined;
  }
  throw conflict("the repository is being changed by others; try again");
}

function guardOf({ clock }: Forge, repositoryId: number, once: string): RunGuard {
  return { ...runGuardKey(repositoryId, once), ttl: nowSeconds(clock) + rememberedSeconds, _v: 1 };
}

function newRunOf(
  { id: repositoryId, ownerId }: Repository,
  { actorName: _, ownerName: __, inputs: ___, supersedes: ____, payload, title, ...cause }: RunCause,
  { name, path, text, reading }: WorkflowFile,
  filled: FilledWorkflow,
  group: FoundGroup | undefined,
): NewRun {
  const made = jobsOf(filled, group);
  const workflow = "workflow" in reading ? reading.workflow : undefined;
  const event = JSON.stringify(payload);
  const isQueued = made.problem === undefined && group?.waits === true && group.members.length > 0;
  return {
    ...cause,
    ...{ repositoryId, ownerId },
    title: (filled.runName || title).slice(0, most.nameCharacters),
    ...{ workflow: name, workflowPath: path, workflowName: workflow?.name || name },
    ...made,
    ...(made.problem === undefined ? defined({ group: group?.group }) : {}),
    ...(isQueued ? { isQueued } : {}),
    source: { workflow: text, event: Buffer.byteLength(event) > mostPayloadBytes ? "{}" : event },
  };
}

/** The jobs of a workflow; of one with a mistake, one that has failed. */
function jobsOf(
  { jobs }: FilledWorkflow,
  group: FoundGroup | undefined,
): { readonly jobs: readonly NewJob[]; readonly problem?: string } {
  if ("problem" in jobs) return failed(jobs.problem);
  if ((group?.members.length ?? 0) >= mostMembers) return failed("too many runs of its group wait already");
  return { jobs };
}

const longestProblem = 1_000;
const failed = (problem: string) => ({
  jobs: [{ key: "workflow", name: "workflow", needs: [], runsOn: [] }],
  problem: wellFormed(problem.slice(0, longestProblem)),
});

/** The events whose newest run may take the place of older ones without a group of the file's. */
const superseded: readonly RunEvent[] = ["push", "pull_request", "pull_request_target"];

/** The group of a run: the file's, or that of the same ref, workflow and event (semantics §64.5). */
function groupOf(
  { cancelsInProgress, group: named }: FilledWorkflow,
  { supersedes, ref, event }: RunCause,
  { name }: WorkflowFile,
): GroupWish | undefined {
  const cancels = cancelsInProgress ?? supersedes;
  if (named !== "") return { group: `named ${named.toLowerCase()}`, cancels, waits: !cancels };
  if (!cancels && (cancelsInProgress === false || !superseded.includes(event))) return undefined;
  return { group: `of ${ref} ${name} ${event}`, cancels, waits: false };
}

/** The variables of a repository, for a file that speaks of them. */
async function variablesIn(
  forge: Forge,
  { id, ownerId }: Repository,
  { text }: WorkflowFile,
): Promise<object> {
  if (!/\bvars\b/i.test(text)) return {};
  const owner = await forge.table.get<Owner>(ownerKey(ownerId));
  if (owner === undefined) return {};
  return actionVariablesFor(forge, {
    owner: { kind: owner.kind, id: ownerId },
    repository: { kind: "repository", id, ownerId },
  });
}

/** What expressions know before a runner has the job. */
function scopeOf({ name }: Repository, cause: RunCause, file: WorkflowFile, vars: object): Scope {
  const { ref, commitId, event, actorName, ownerName, baseRef = "", headRef = "", inputs = {} } = cause;
  const prefix = [branchPrefix, tagPrefix].find((one) => ref.startsWith(one)) ?? "";
  const github = {
    ...{ ref, sha: commitId, event_name: event, actor: actorName, base_ref: baseRef, head_ref: headRef },
    ref_name: ref.slice(prefix.length),
    ref_type: prefix === tagPrefix ? "tag" : "branch",
    repository: `${ownerName}/${name}`,
    repository_owner: ownerName,
    workflow: "workflow" in file.reading ? file.reading.workflow.name || file.name : file.name,
    event: cause.payload,
  };
  return { github, forgejo: github, gitea: github, inputs, vars };
}
