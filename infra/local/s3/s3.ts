import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "#core/log";
import { listenOnLoopback } from "../loopback-server.ts";
import { deleteObjects, headBucket, listObjects } from "./bucket-operations.ts";
import { S3Error } from "./error.ts";
import { deleteObject, getObject, putObject } from "./object-operations.ts";
import { ObjectStore } from "./object-store.ts";
import { type Operation, parseTarget, recognizeOperation } from "./operation.ts";
import { answerError, collectHeaders, type Handler, type S3Request } from "./request.ts";
import { ClientLeft } from "./send-file.ts";
import { type Credentials, verifySignature } from "./signature.ts";
import {
  abortUpload,
  completeUpload,
  createUpload,
  listParts,
  listUploads,
  uploadPart,
} from "./upload-operations.ts";
import { UploadStore } from "./upload-store.ts";

/** The options of the S3 stand-in. `folder` is created; `bucket` is the only bucket there is. */
export interface S3Options {
  folder: string;
  bucket: string;
  /** When given, only requests signed with them are answered. */
  credentials?: Credentials;
  log: Log;
  /** `false` leaves it to the system when objects reach the disk: for tests, which would wait for it. */
  isSynced?: false;
}

/** A running S3 stand-in. Clients address it path-style (`forcePathStyle`). */
export interface S3 {
  endpoint: string;
  /** Lets requests under way finish. May be called twice. */
  stop(): Promise<void>;
}

const handlers: Record<Operation, Handler> = {
  HeadBucket: headBucket,
  ListObjectsV2: listObjects,
  DeleteObjects: deleteObjects,
  GetObject: getObject,
  HeadObject: getObject,
  PutObject: putObject,
  DeleteObject: deleteObject,
  CreateMultipartUpload: createUpload,
  UploadPart: uploadPart,
  CompleteMultipartUpload: completeUpload,
  AbortMultipartUpload: abortUpload,
  ListParts: listParts,
  ListMultipartUploads: listUploads,
};

/**
 * Starts the S3 stand-in: one bucket over files, on a random loopback address. Acknowledged requests survive a crash.
 * An unknown operation, header or parameter is refused by name (501).
 */
export async function startS3({ folder, bucket, credentials, log, isSynced }: S3Options): Promise<S3> {
  const objects = await ObjectStore.open(folder, log, isSynced);
  const uploads = await UploadStore.open(folder, objects);

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseTarget(incoming.url ?? "/");
    const headers = collectHeaders(incoming, target);
    const method = incoming.method ?? "GET";
    if (credentials) verifySignature({ method, target, headers }, credentials, Date.now());
    const operation = recognizeOperation(method, target, headers);
    if (target.bucket !== bucket) {
      throw new S3Error(
        404,
        "NoSuchBucket",
        `The specified bucket does not exist; the only one is ${bucket}.`,
      );
    }
    const source = incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const request: S3Request = { source, response, target, headers, objects, uploads };
    await handlers[operation](request);
  }

  const { endpoint, stop } = await listenOnLoopback((request, response) => {
    response.setHeader("x-amz-request-id", randomUUID());
    answer(request, response).catch((error: unknown) => fail(request, response, error, log));
  });
  return { endpoint, stop };
}

function fail(request: IncomingMessage, response: ServerResponse, error: unknown, log: Log): void {
  const isExpected = error instanceof S3Error;
  if (!request.complete && request.destroyed) {
    response.destroy(); // the client went away in the middle of its request
    return;
  }
  if (error instanceof ClientLeft) {
    response.destroy(); // it has read enough of the object
    return;
  }
  if (!isExpected || error.status >= 500) {
    log.error("s3:request-failed", { method: request.method, url: request.url?.split("?")[0], error });
  }
  if (response.headersSent) response.destroy();
  else {
    const shown = isExpected ? error : new S3Error(500, "InternalError", "We encountered an internal error.");
    answerError(response, shown);
    // A reader of an answer sends the next request on the same connection, behind the rest of this one's body.
    request.resume();
  }
}
