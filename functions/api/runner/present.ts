import type { Forge } from "#core/forge";
import { isRunnerOff } from "#core/runner/runner";
import type { Runner } from "#core/runner/runner.table";
import { runnerStatus } from "#core/runner/status";
import type { ActionRunnerJson } from "./schema.ts";

/** A runner as the owners of its place see it. `repositoryOwnerId`: who has its repository now, if it is one's. */
export function presentRunner(
  { clock }: Pick<Forge, "clock">,
  runner: Runner,
  repositoryOwnerId: number | undefined,
): ActionRunnerJson {
  const { id, uuid, name, description, version, labels, place } = runner;
  const status = runnerStatus(clock, runner);
  return {
    ...{ id, uuid, name, description, version, labels: [...labels] },
    owner_id: place.kind === "user" || place.kind === "organization" ? place.id : 0,
    repo_id: place.kind === "repository" ? place.id : 0,
    ephemeral: runner.isEphemeral,
    disabled: isRunnerOff(runner, repositoryOwnerId),
    busy: status === "active",
    status,
  };
}
