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
export const showRuns = (request: RunRequest, runs: readonly Run[]): Promise<ActionWorkflowRunJson[]> =>
  showRunsOf(request, runs, new Map([[request.access.repository.id, request.access]]));

/** Runs of these repositories, by their ids. */
export async function showRunsOf(
  request: Omit<RunRequest, "access">,
  runs: readonly Run[],
  repositories: ReadonlyMap<number, RepositoryAccess>,
): Promise<ActionWorkflowRunJson[]> {
  if (runs.length === 0) return [];
  const { forge } = request;
  const view = viewOf(request);
  const named = [...new Set(runs.map(({ repositoryId }) => repositoryId))];
  const [places, users] = await Promise.all([
    Promise.all(
      named.flatMap((id) => repositories.get(id) ?? []).map((one) => repositoryDetailsOf(forge, one)),
    ),
    findUsersById(forge, [...new Set(runs.map(({ actorId }) => actorId))]),
  ]);
  const shown = new Map(
    places.map((place) => [place.repository.id, { place, repository: presentRepository(view, place) }]),
  );
  return runs.flatMap((run) => {
    const found = shown.get(run.repositoryId);
    if (found === undefined) return [];
    const { place, repository } = found;
    return [presentRun(view, place, run, { actor: users.get(run.actorId) ?? ghostUser, repository })];
  });
}

/** One run. */
export async function showRun(request: RunRequest, run: Run): Promise<ActionWorkflowRunJson> {
  const [shown] = await showRuns(request, [run]);
  return shown as ActionWorkflowRunJson;
}
