import type { RepositoryAccess } from "#core/access/repository-access";
import type { Run } from "#core/actions/actions.table";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { repositoryDetailsOf } from "#core/repository/details";
import { findUsersById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import { viewOf } from "../../http/answer/view.ts";
import { presentRepository } from "../repository/present.ts";
import { presentRun } from "./present.ts";
import type { ActionWorkflowRunJson } from "./schema.ts";

/** The part of a request that presenters of runs need. */
export interface RunRequest {
  readonly forge: Forge;
  readonly actor: Actor | undefined;
  readonly access: RepositoryAccess;
}

/** Runs of one repository, with who caused them. */
export async function showRuns(request: RunRequest, runs: readonly Run[]): Promise<ActionWorkflowRunJson[]> {
  if (runs.length === 0) return [];
  const { forge, access } = request;
  const view = viewOf(request);
  const [details, users] = await Promise.all([
    repositoryDetailsOf(forge, access),
    findUsersById(forge, [...new Set(runs.map(({ actorId }) => actorId))]),
  ]);
  const repository = presentRepository(view, details);
  return runs.map((run) =>
    presentRun(view, access, run, { actor: users.get(run.actorId) ?? ghostUser, repository }),
  );
}

/** One run. */
export async function showRun(request: RunRequest, run: Run): Promise<ActionWorkflowRunJson> {
  const [shown] = await showRuns(request, [run]);
  return shown as ActionWorkflowRunJson;
}
