import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { lazyFor } from "../lazy.ts";
import { send } from "../outbox.ts";
import { sealNumbers } from "./sealed-numbers.ts";

/** The kind of the job that seals the numbers of some repositories. */
export const sealingKind = "seal-numbers";
const jobId = `${sealingKind}-0`;

/** Numbers that have not changed for so long may be sealed. Their next change then costs some requests more, once. */
export const quietMs = 600_000;
/** A page with fewer quiet repositories that are not sealed is cheap enough. */
const manyUnsealed = 10;
const askedAgainMs = 60_000;
const sealedAtOnce = 10;

/** When this process last asked for the job. */
const askedBy = lazyFor((_config: Config) => ({ atMs: Number.NEGATIVE_INFINITY }));

/**
 * Starts the job that seals the numbers of these quiet repositories, if they are many and this process has not asked for
 * a minute. A job that is there already is enough. Never throws.
 */
export async function requestSealing(forge: Forge, ids: readonly number[]): Promise<void> {
  if (ids.length < manyUnsealed) return;
  const asked = askedBy(forge.config);
  const now = forge.clock.now();
  if (now - asked.atMs < askedAgainMs) return;
  asked.atMs = now;
  const job = startJob(forge, sealingKind, { ids }, { id: jobId });
  try {
    if (await forge.table.write(job.write)) await send(forge, [job.message]);
  } catch (error) {
    forge.log.warn("repository:sealing-request-failed", { error });
  }
}

/** Seals the numbers of some repositories. May be repeated. */
export const sealRepositories: JobKind<{ readonly ids: readonly number[] }, { readonly from: number }> = {
  async step(forge, { ids }, { from } = { from: 0 }) {
    await Promise.all(ids.slice(from, from + sealedAtOnce).map((id) => sealNumbers(forge, id)));
    const next = from + sealedAtOnce;
    return next < ids.length ? { cursor: { from: next } } : { done: true };
  },
};
