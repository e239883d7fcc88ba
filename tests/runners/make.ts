import type { Run } from "#core/actions/actions.table";
import type { ActionsPlace } from "#core/actions/place";
import { createRun, type NewJob, type NewRun } from "#core/actions/run/create-run";
import { registrationToken } from "#core/runner/registration-token";
import type { TestApi } from "#tests/support/api";
import { type CallOptions, callRunner, type Identity } from "./client.ts";
import type { MethodName } from "./protocol.ts";
import type { Values } from "./wire.ts";

/** A runner of a test: who it is, and its calls. */
export interface TestRunner extends Identity {
  readonly id: number;
  call(method: string, values: Values, options?: CallOptions): ReturnType<typeof callRunner>;
}

/** Registers a runner of a place. */
export async function makeRunner(
  api: TestApi,
  place: ActionsPlace,
  labels: readonly string[],
  more: Values = {},
): Promise<TestRunner> {
  const token = await registrationToken(api.forge, place);
  const given = { name: "runner", token, labels, ...more };
  const { message } = await callRunner(api.app, "runner.v1.RunnerService/Register", given);
  const as: Identity = message.runner;
  return {
    ...{ uuid: as.uuid, token: as.token, id: Number(message.runner.id) },
    call: (method, values, options) =>
      callRunner(api.app, `runner.v1.RunnerService/${method}` as MethodName, values, { as, ...options }),
  };
}

/** A job of a run that fits the workflow of `makeRun`. */
export const job = (key: string, more: Partial<NewJob> = {}): NewJob => ({
  ...{ key, name: key, needs: [], runsOn: ["linux"] },
  ...more,
});

/** Makes a run of a workflow in a repository, without a push. */
export async function makeRun(
  api: Pick<TestApi, "forge">,
  repository: { readonly id: number; readonly ownerId: number },
  jobs: readonly NewJob[],
  text: string,
  more: Partial<NewRun> = {},
): Promise<Run> {
  const run = await createRun(api.forge, {
    ...{ repositoryId: repository.id, ownerId: repository.ownerId, title: "words", workflow: "ci.yml" },
    ...{ workflowPath: ".forgejo/workflows/ci.yml", workflowName: "ci", event: "push" },
    ...{ ref: "refs/heads/main", commitId: "a".repeat(40), actorId: repository.ownerId, jobs },
    source: {
      workflow: text,
      event: JSON.stringify({ ref: "refs/heads/main", nested: { list: [1, "a", null] } }),
    },
    ...more,
  });
  if (run === undefined) throw new Error("the run was refused");
  return run;
}
