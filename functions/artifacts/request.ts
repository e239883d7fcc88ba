import type { Run } from "#core/actions/actions.table";
import { countRequest } from "#core/caller/rates";
import { badRequest, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { findCallingTask } from "#core/runner/runtime-token";
import { findServedTask } from "#core/runner/task";
import type { RequestBody } from "../http/body/request-body.ts";
import type { Call } from "../http/call.ts";
import { openUploadAddress, type UploadLink } from "./upload-link.ts";

/** The job that is calling: its task runs. */
export interface CallingJob {
  readonly taskId: number;
  readonly run: Run;
}

/** A request of a job. */
export interface ArtifactRequest {
  readonly forge: Forge;
  readonly url: URL;
  readonly job: CallingJob;
  /** What the address leads to; absent when a token is shown. */
  readonly link?: UploadLink;
  readonly body: RequestBody;
}

/** Who is calling: by a token, or by a sealed address. */
export type FindCaller = (call: Call) => Promise<Pick<ArtifactRequest, "job" | "link">>;

/** The job whose token is shown (semantics §62.1). Unauthorized for any other, and once its task is over. */
export const jobOfToken: FindCaller = async ({ forge, request, address }) => {
  const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  const found = token === undefined ? undefined : await findCallingTask(forge, token);
  if (found === undefined) {
    countRequest(forge, { address }, "light");
    throw unauthorized("the token of a job that runs is expected, as Authorization: Bearer");
  }
  const { task, run, taskId } = found;
  countRequest(forge, { runnerId: task.runnerId }, "light");
  return { job: { run, taskId } };
};

/** The job that opened the upload to which the address leads. Unauthorized as above. */
export const jobOfAddress: FindCaller = async (call) => {
  const { forge, address } = call;
  const link = openUploadAddress(forge, call.url);
  const found = await findServedTask(forge, link.taskId);
  if (found?.job?.state !== "running") {
    countRequest(forge, { address }, "light");
    throw unauthorized("the job that uploads the artifact is over");
  }
  const { task, run } = found;
  countRequest(forge, { runnerId: task.runnerId }, "light");
  return { job: { run, taskId: link.taskId }, link };
};

/** BadRequest unless a request names the run of its own job (semantics §62.1). */
export function requireRun({ run }: CallingJob, named: string): void {
  if (named !== String(run.id)) throw badRequest("the run is not that of the job whose token is shown");
}
