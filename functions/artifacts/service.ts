import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { findArtifactOfRun, isArtifactOver, listArtifactsOfRun } from "#core/artifact/artifact";
import type { Artifact } from "#core/artifact/artifact.table";
import type { ArtifactClaim } from "#core/artifact/confirm";
import { confirmLargeArtifact } from "#core/artifact/confirm-large";
import { openArtifact } from "#core/artifact/open";
import { removeArtifact } from "#core/artifact/remove";
import { badRequest, notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { artifactLink } from "../api/artifact/link.ts";
import { jsonAnswer } from "./answer.ts";
import { type MessageName, readMessage, writeMessage } from "./messages.ts";
import { type ArtifactRequest, type CallingJob, requireRun } from "./request.ts";
import { uploadAddress } from "./upload-link.ts";

/** What every request names. */
interface Named {
  readonly workflowRunBackendId: string;
  readonly name: string;
}
interface CreateRequest extends Named {
  readonly expiresAt?: Timestamp;
}
interface FinalizeRequest extends Named {
  readonly size: bigint;
  readonly hash?: string;
}
interface ListRequest extends Omit<Named, "name"> {
  readonly nameFilter?: string;
  readonly idFilter?: bigint;
}

type Handle = (forge: Forge, job: CallingJob, message: never) => Promise<object>;

/** A name and a few ids. */
const mostMessageBytes = 16 * 2 ** 10;

const dayMs = 86_400_000;

/** Days are what an artifact counts in; a client's clock and the way here make a few seconds less of them. */
function keptDays({ clock }: Forge, expiresAt: Timestamp | undefined): { keptDays?: number } {
  if (expiresAt === undefined) return {};
  return { keptDays: Math.round((Number(expiresAt.seconds) * 1000 - clock.now()) / dayMs) };
}

async function create(forge: Forge, { run, taskId }: CallingJob, { name, expiresAt }: CreateRequest) {
  const wanted = { runId: run.id, name, ...keptDays(forge, expiresAt) };
  const opened = await openArtifact(forge, run.repositoryId, wanted);
  return { ok: true, signedUploadUrl: uploadAddress(forge, opened, taskId) };
}

async function finalize(forge: Forge, { run }: CallingJob, message: FinalizeRequest) {
  const { repositoryId } = run;
  const found = await findArtifactOfRun(forge, repositoryId, run.id, message.name);
  if (found === undefined) throw noSuch(message.name);
  const { id } = await confirmLargeArtifact(forge, found, claimOf(message));
  return { ok: true, artifactId: BigInt(id) };
}

function claimOf({ size, hash }: FinalizeRequest): ArtifactClaim {
  const sha256 = hash === undefined ? undefined : /^sha256:([0-9a-f]{64})$/i.exec(hash)?.[1]?.toLowerCase();
  if (hash !== undefined && sha256 === undefined)
    throw badRequest("hash has to be sha256: and 64 hex digits");
  // A number that is not sent is 0.
  return { ...(size !== 0n && { sizeBytes: Number(size) }), ...(sha256 !== undefined && { sha256 }) };
}

async function list(forge: Forge, job: CallingJob, { nameFilter, idFilter }: ListRequest) {
  const { repositoryId, id } = job.run;
  const found = await listArtifactsOfRun(forge, repositoryId, id, nameFilter);
  return {
    artifacts: found
      .filter((one) => idFilter === undefined || BigInt(one.id) === idFilter)
      .map((one) => shown(job, one)),
  };
}

const shown = ({ run, taskId }: CallingJob, { id, name, sizeBytes, createdAt, sha256 }: Artifact) => ({
  ...{ workflowRunBackendId: String(run.id), workflowJobRunBackendId: String(taskId) },
  ...{ databaseId: BigInt(id), name, size: BigInt(sizeBytes), createdAt: { seconds: BigInt(createdAt) } },
  ...(sha256 !== undefined && { digest: `sha256:${sha256}` }),
});

async function signedUrl(forge: Forge, job: CallingJob, { name }: Named) {
  return { signedUrl: await artifactLink(forge, await confirmed(forge, job, name)) };
}

async function remove(forge: Forge, job: CallingJob, { name }: Named) {
  const { id, repositoryId } = await confirmed(forge, job, name);
  await removeArtifact(forge, repositoryId, id);
  return { ok: true, artifactId: BigInt(id) };
}

async function confirmed(forge: Forge, { run }: CallingJob, name: string): Promise<Artifact> {
  const found = await findArtifactOfRun(forge, run.repositoryId, run.id, name);
  if (found?.state !== "confirmed" || isArtifactOver(forge, found)) throw noSuch(name);
  return found;
}

const noSuch = (name: string) => notFound(`the run has no such artifact [name: ${name}]`);

const methods: Readonly<Record<string, Handle>> = {
  CreateArtifact: create,
  FinalizeArtifact: finalize,
  ListArtifacts: list,
  GetSignedArtifactURL: signedUrl,
  DeleteArtifact: remove,
};

/** Calls a method of the service (semantics §62.2). */
export async function callService({ forge, url, job, body }: ArtifactRequest): Promise<Response> {
  const method = url.pathname.split("/").at(-1) ?? "";
  const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (handle === undefined) throw notFound("the service has no such method");
  const bytes = await body.bytes(mostMessageBytes);
  const message = readMessage<Named>(`${method}Request` as MessageName, bytes);
  requireRun(job, message.workflowRunBackendId);
  const answer = await handle(forge, job, message as never);
  return jsonAnswer(200, writeMessage(`${method}Response` as MessageName, answer));
}
