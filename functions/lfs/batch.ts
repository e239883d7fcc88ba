import { mostPutBytes } from "#core/blobs/presign";
import { Pacer } from "#core/concurrency/pacer";
import { badRequest, conflict, tooLarge, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { type LfsTask, planLfsDownload, planLfsUpload } from "#core/lfs/batch";
import { lfsAddressSeconds, lfsDownloadUrl } from "#core/lfs/lfs";
import { lfsUploadAddress, openLfsUpload } from "#core/lfs/upload";
import { z } from "#zod";
import { linkTo } from "../http/answer/links.ts";
import { lfsAnswer, lfsType } from "./answer.ts";
import { authorizationHeader } from "./authorization.ts";
import { batchBytes, readLfsBody } from "./body.ts";
import { requireAccess, requireCaller } from "./operation.ts";
import type { LfsRequest } from "./request.ts";

const batchShape = z.object({
  operation: z.string().optional(),
  hash_algo: z.string().optional(),
  objects: z.array(z.object({ oid: z.string(), size: z.number() })),
});

/** What a client does next: a request, and for how long it may begin it. */
interface Action {
  readonly href: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly expires_in: number;
}
type Actions = Readonly<Record<string, Action>>;
type Problem = { readonly code: number; readonly message: string };

/** Tells a client what to do about each object that it has or wants (semantics §55.3). */
export async function answerBatch(asked: LfsRequest): Promise<Response> {
  const { forge, actor, access } = asked;
  const { id } = access.repository;
  const { operation, hash_algo: hash, objects } = await readLfsBody(asked, batchShape, batchBytes);
  if (operation !== "download" && operation !== "upload") {
    throw badRequest("operation has to be download or upload");
  }
  if (hash !== undefined && hash !== "sha256") throw conflict("objects are named by their SHA-256 here");
  if (objects.length > forge.config.lfsMaxBatchSize) {
    throw tooLarge(`a batch may name at most ${forge.config.lfsMaxBatchSize} objects`);
  }
  const wanted = objects.map(({ oid, size }) => ({ oid, sizeBytes: size }));
  if (operation === "download") {
    const tasks = await planLfsDownload(forge, id, wanted);
    return batchAnswer(forge, tasks, (task) => downloadActions(asked, task));
  }
  if (actor === undefined) throw unauthorized("log in to upload");
  requireCaller(forge, actor, operation);
  await requireAccess(forge, actor, access, operation);
  const tasks = await planLfsUpload(forge, actor, id, wanted);
  const isNeeded = tasks.some(({ task }) => task === "upload");
  const uploadId = isNeeded ? await openLfsUpload(forge, id) : "";
  const authorization = authorizationHeader(forge, { repositoryId: id, operation, actor, uploadId });
  return batchAnswer(forge, tasks, (task) => uploadActions(asked, task, { uploadId, authorization }));
}

/** Long answers are made in pieces, beside those of others: hundreds of addresses are signed for one. */
async function batchAnswer(
  { awaited }: Forge,
  tasks: readonly LfsTask[],
  actionsOf: (task: LfsTask) => Promise<Actions | Problem | undefined>,
): Promise<Response> {
  const pacer = new Pacer(awaited);
  const objects: object[] = [];
  for (const task of tasks) {
    const { oid, sizeBytes: size } = task;
    if (task.task === "error") {
      objects.push({ oid, size, error: { code: task.code, message: task.message } });
    } else {
      const actions = await actionsOf(task);
      const isProblem = actions !== undefined && "code" in actions;
      if (isProblem) objects.push({ oid, size, error: actions });
      else objects.push({ oid, size, ...(actions !== undefined && { authenticated: true, actions }) });
    }
    if (pacer.isDue(8)) await pacer.pause();
  }
  return lfsAnswer(200, { transfer: "basic", hash_algo: "sha256", objects });
}

const addressOf = ({ forge, access }: LfsRequest, ...path: (string | number)[]): string =>
  linkTo(forge.config, access.owner.name, `${access.repository.name}.git`, "info", "lfs", ...path);

async function downloadActions(asked: LfsRequest, task: LfsTask): Promise<Actions | undefined> {
  if (task.task !== "download") return undefined;
  const { forge, actor, access } = asked;
  const href = await lfsDownloadUrl(forge, task.object);
  if (href !== undefined) return { download: { href, expires_in: lfsAddressSeconds } };
  const authorization = { repositoryId: access.repository.id, operation: "download", actor } as const;
  const header =
    actor === undefined
      ? {}
      : { header: { Authorization: authorizationHeader(forge, { ...authorization, actor }) } };
  const expires_in = forge.config.lfsHttpAuthExpirySeconds;
  return { download: { href: addressOf(asked, "objects", task.oid), ...header, expires_in } };
}

async function uploadActions(
  asked: LfsRequest,
  task: LfsTask,
  { uploadId, authorization }: { readonly uploadId: string; readonly authorization: string },
): Promise<Actions | Problem | undefined> {
  if (task.task !== "upload") return undefined;
  const { forge } = asked;
  const { oid, sizeBytes } = task;
  const expires_in = forge.config.lfsHttpAuthExpirySeconds;
  const header = { Authorization: authorization };
  const verify = { href: addressOf(asked, "verify"), header: { ...header, Accept: lfsType }, expires_in };
  const direct = await lfsUploadAddress(forge, uploadId, task);
  if (direct === undefined) {
    return { upload: { href: addressOf(asked, "objects", oid, sizeBytes), header, expires_in }, verify };
  }
  if (sizeBytes > mostPutBytes) {
    return { code: 422, message: `S3 takes at most ${mostPutBytes} bytes in one upload: split the file` };
  }
  return { upload: { href: direct.url, header: direct.headers, expires_in: lfsAddressSeconds }, verify };
}
