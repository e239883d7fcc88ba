import { badRequest, isForgeError, unavailable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { waitForJob } from "../jobs/wait-for-job.ts";
import { exists } from "../table/condition.ts";
import { put, remove } from "../table/write.ts";
import {
  type Artifact,
  type ArtifactRefusal,
  type ArtifactUpload,
  artifactRefusalKey,
} from "./artifact.table.ts";
import { findArtifact } from "./artifact.ts";
import { type ArtifactClaim, confirmArtifact } from "./confirm.ts";

/** The kind of the job that joins the pieces of a large artifact. */
export const confirmKind = "confirm-artifact";

/** Plain values: an upload, and what its uploader says of the whole. */
interface Confirmation {
  readonly upload: ArtifactUpload;
  readonly claim: ArtifactClaim;
}

/** So many bytes are joined within a request. */
const mostAtOnce = 64 * 2 ** 20;

const again = () =>
  unavailable("the pieces of the artifact are being joined: ask again", { retryAfterSeconds: 5 });

/**
 * `confirmArtifact` for any size: the pieces of a large one are joined by a job, for which the request waits a while.
 * Unavailable when it takes longer: the same request, sent again, answers how it ended.
 */
export async function confirmLargeArtifact(
  forge: Forge,
  upload: ArtifactUpload,
  claim: ArtifactClaim,
  { atOnce = mostAtOnce }: { readonly atOnce?: number } = {},
): Promise<Artifact> {
  const { repositoryId, number, upload: v } = upload;
  const found = await findArtifact(forge, repositoryId, number);
  const isOpen = found?.state === "pending" && found.upload === v;
  if (!isOpen || found.pieceBytes <= atOnce) return confirmArtifact(forge, upload, claim);
  await tellRefusal(forge, upload);
  const confirmation: Confirmation = { upload: { repositoryId, number, upload: v }, claim };
  const job = startJob(forge, confirmKind, confirmation, {
    id: `${confirmKind}-${repositoryId}-${number}-${v}`,
  });
  await forge.table.write(job.write);
  await send(forge, [job.message]);
  if (!(await waitForJob(forge, job.id))) throw again();
  await tellRefusal(forge, upload);
  const ended = await findArtifact(forge, repositoryId, number);
  if (ended?.state === "pending" && ended.upload === v) throw again();
  return confirmArtifact(forge, upload, claim);
}

/** Throws the reason that a job left, once. */
async function tellRefusal({ table }: Forge, upload: ArtifactUpload): Promise<void> {
  const key = artifactRefusalKey(upload);
  const refusal = await table.get<ArtifactRefusal>(key);
  if (refusal !== undefined && (await table.write(remove(key, exists)))) throw badRequest(refusal.message);
}

/** Joins the pieces of one upload. What its uploader did wrong ends the job, and is left for them to be told. */
export const confirmInJob: JobKind<Confirmation, object> = {
  async step(forge, { upload, claim }) {
    try {
      await confirmArtifact(forge, upload, claim);
    } catch (error) {
      if (isForgeError(error, "not-found")) return { done: true };
      if (!isForgeError(error, "bad-request")) throw error;
      const refusal: ArtifactRefusal = { ...artifactRefusalKey(upload), message: error.message, _v: 1 };
      await forge.table.write(put(refusal));
    }
    return { done: true };
  },
};
