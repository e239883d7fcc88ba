import { createHmac, timingSafeEqual } from "node:crypto";
import { jobId, type Run, type RunJob } from "../actions/actions.table.ts";
import { type Clock, nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { type FoundTask, findServedTask, findTaskOfToken, taskTokenHash } from "./task.ts";

/** A running task whose job shows a credential, and its id. */
export type CallingTask = FoundTask & { readonly taskId: number };

const countsSeconds = 24 * 3600;
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const header = encoded({ alg: "HS256", typ: "JWT" });

const signatureOf = (signed: string, tokenHash: string): Buffer =>
  createHmac("sha256", tokenHash).update(signed).digest();

/**
 * The token with which the actions of a job upload artifacts (semantics §62.1): a JWT, because they read run and job from
 * it. Its key is the hash of the task's own token, which nobody but its task has: so it ends with the task, and no key of
 * the installation signs it.
 */
export function makeRuntimeToken(
  clock: Clock,
  { run, job, token }: { readonly run: Run; readonly job: RunJob; readonly token: string },
): string {
  const taskId = jobId(run.repositoryId, job.number);
  const now = nowSeconds(clock);
  const claims = {
    scp: `Actions.Results:${run.id}:${taskId}`,
    ...{ TaskID: taskId, RunID: run.id, JobID: taskId },
    ac: JSON.stringify([{ Scope: run.ref, Permission: 3 }]),
    ...{ nbf: now, exp: now + countsSeconds },
  };
  const signed = `${header}.${encoded(claims)}`;
  return `${signed}.${signatureOf(signed, taskTokenHash(token)).toString("base64url")}`;
}

/** The running task of a runtime token or of a task's own; undefined for any other text, and once its job is over. */
export const findCallingTask = (
  forge: Pick<Forge, "table" | "clock">,
  text: string,
): Promise<CallingTask | undefined> =>
  text.includes(".") ? findTaskOfRuntimeToken(forge, text) : findTaskOfToken(forge, text);

async function findTaskOfRuntimeToken(
  { table, clock }: Pick<Forge, "table" | "clock">,
  text: string,
): Promise<CallingTask | undefined> {
  const [head, claims = "", signature = "", ...more] = text.split(".");
  const { TaskID: taskId, exp } = claimsIn(claims);
  if (head !== header || more.length > 0 || !Number.isSafeInteger(taskId) || taskId < 1) return undefined;
  if (typeof exp !== "number" || exp < nowSeconds(clock)) return undefined;
  const found = await findServedTask({ table }, taskId);
  const { tokenHash = "" } = found?.task ?? {};
  if (found?.job?.state !== "running" || tokenHash === "") return undefined;
  const expected = signatureOf(`${header}.${claims}`, tokenHash);
  const shown = Buffer.from(signature, "base64url");
  const isIts = shown.length === expected.length && timingSafeEqual(shown, expected);
  return isIts ? { ...found, taskId } : undefined;
}

function claimsIn(text: string): { readonly TaskID: number; readonly exp: unknown } {
  try {
    const { TaskID, exp } = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return { TaskID, exp };
  } catch {
    return { TaskID: Number.NaN, exp: undefined }; // whatever it is: its sender made it
  }
}
