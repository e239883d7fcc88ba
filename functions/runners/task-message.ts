import { jobId } from "#core/actions/actions.table";
import type { JobState } from "#core/actions/job/job-states";
import type { Forge } from "#core/forge";
import { branchPrefix, tagPrefix } from "#core/git/refs/ref-name";
import type { FetchedTask } from "#core/runner/fetch-task";
import { makeRuntimeToken } from "#core/runner/runtime-token";
import { findUserById } from "#core/user/find";
import { findSystemUser, ghostUser } from "#core/user/system-users";
import { linkTo } from "../http/answer/links.ts";

/** The numbers of results in the protocol; 0 for what is not over. */
const results: Partial<Record<JobState, number>> = { success: 1, failure: 2, cancelled: 3, skipped: 4 };
export const resultOf = (state: JobState): number => results[state] ?? 0;

/** A task as the protocol has it (semantics §61). */
export async function taskMessage(forge: Forge, task: FetchedTask): Promise<object> {
  const { run, job, token, payload, variables, secrets, needs } = task;
  const named = { GITHUB_TOKEN: token, GITEA_TOKEN: token, FORGEJO_TOKEN: token };
  return {
    id: BigInt(jobId(run.repositoryId, job.number)),
    workflowPayload: Buffer.from(payload),
    context: await contextOf(forge, task),
    secrets: { ...secrets, ...named },
    vars: variables,
    needs: Object.fromEntries(
      Object.entries(needs).map(([key, { state, outputs }]) => [key, { result: resultOf(state), outputs }]),
    ),
  };
}

const emptyMembers = [
  ...["action", "action_path", "action_ref", "action_repository", "action_status", "env", "event_path"],
  ...["graphql_url", "path", "retention_days", "workspace", "triggering_actor"],
];

async function contextOf(forge: Forge, { run, job, repository, owner, source, token }: FetchedTask) {
  const { config } = forge;
  const actor = findSystemUser(run.actorId) ?? (await findUserById(forge, run.actorId)) ?? ghostUser;
  return {
    ...Object.fromEntries(emptyMembers.map((name) => [name, ""])),
    actor: actor.name,
    api_url: linkTo(config, "api", "v1"),
    base_ref: run.baseRef ?? "",
    head_ref: run.headRef ?? "",
    event: JSON.parse(source.event),
    event_name: run.event,
    job: job.key,
    ...refMembers(run.ref),
    repository: `${owner.name}/${repository.name}`,
    repository_owner: owner.name,
    repositoryUrl: linkTo(config, owner.name, repository.name),
    run_id: String(run.id),
    run_number: String(run.number),
    run_attempt: String(run.attempt),
    secret_source: "Actions",
    server_url: `${config.rootUrl}/`,
    sha: run.commitId,
    workflow: run.workflow,
    token,
    gitea_runtime_token: makeRuntimeToken(forge.clock, { run, job, token }),
    gitea_default_actions_url: config.defaultActionsUrl,
  };
}

function refMembers(ref: string) {
  const type = ref.startsWith(branchPrefix) ? "branch" : ref.startsWith(tagPrefix) ? "tag" : "";
  const name = ref.replace(/^refs\/(?:heads|tags|pull)\//, "");
  return { ref, ref_name: name, ref_type: type, ref_protected: false };
}
