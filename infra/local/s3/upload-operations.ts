import { receiveBody } from "./body.ts";
import { invalidArgument, malformedXml, notImplemented } from "./error.ts";
import { keptHeaders } from "./object-operations.ts";
import { answerXml, type Handler, readXml, type S3Request } from "./request.ts";
import { elements, elementText } from "./xml.ts";

const pageLimit = 1000;
const uploadId = ({ target }: S3Request) => target.query.get("uploadId") ?? "";

/** CreateMultipartUpload. */
export const createUpload: Handler = async ({ response, target, headers, uploads }) => {
  const algorithm = headers.get("x-amz-checksum-algorithm") ?? "CRC32";
  if (!["CRC32", "SHA1", "SHA256"].includes(algorithm)) throw notImplemented(`the checksum ${algorithm}`);
  const id = await uploads.create({ key: target.key, headers: keptHeaders(headers) });
  answerXml(response, "InitiateMultipartUploadResult", {
    Bucket: target.bucket,
    Key: target.key,
    UploadId: id,
  });
};

/** UploadPart. */
export const uploadPart: Handler = async (request) => {
  const { source, response, target, headers, uploads } = request;
  const number = Number(target.query.get("partNumber"));
  const part = await uploads.putPart(uploadId(request), target.key, number, receiveBody(source, headers));
  response.writeHead(200, { etag: `"${part.etag}"`, "x-amz-checksum-crc32": part.crc32 }).end();
};

/** CompleteMultipartUpload. */
export const completeUpload: Handler = async (request) => {
  const { source, response, target, uploads } = request;
  const parts = elements(await readXml(source), "Part").map((part) => {
    const number = Number(elementText(part, "PartNumber"));
    const etag = elementText(part, "ETag");
    if (!Number.isInteger(number) || etag === undefined) throw malformedXml();
    return { number, etag: etag.replaceAll('"', "") };
  });
  if (parts.length === 0) throw malformedXml();
  const record = await uploads.complete(uploadId(request), target.key, parts);
  answerXml(response, "CompleteMultipartUploadResult", {
    Bucket: target.bucket,
    Key: target.key,
    ETag: `"${record.etag}"`,
    ChecksumCRC32: record.crc32,
    ChecksumType: "FULL_OBJECT",
  });
};

/** AbortMultipartUpload. */
export const abortUpload: Handler = async (request) => {
  await request.uploads.abort(uploadId(request), request.target.key);
  request.response.writeHead(204).end();
};

/** ListParts, all in one page: an upload here has at most 10,000. */
export const listParts: Handler = async (request) => {
  const { response, target, uploads } = request;
  if (target.query.has("part-number-marker")) throw notImplemented("part-number-marker in ListParts");
  const parts = await uploads.parts(uploadId(request), target.key);
  answerXml(response, "ListPartsResult", {
    Bucket: target.bucket,
    Key: target.key,
    UploadId: uploadId(request),
    IsTruncated: false,
    Part: parts.map((part) => ({
      PartNumber: part.number,
      ETag: `"${part.etag}"`,
      Size: part.sizeBytes,
      LastModified: new Date(part.modified).toISOString(),
    })),
  });
};

/** ListMultipartUploads by prefix, in pages that go on by key and id. */
export const listUploads: Handler = async ({ response, target, uploads }) => {
  const { query } = target;
  if (query.has("encoding-type")) throw notImplemented("encoding-type in ListMultipartUploads");
  const most = Number(query.get("max-uploads") ?? pageLimit);
  if (!Number.isInteger(most) || most < 1)
    throw invalidArgument("max-uploads must be a whole number from 1 on.");
  const all = await uploads.list(query.get("prefix") ?? "");
  const from = behind(all, query.get("key-marker"), query.get("upload-id-marker"));
  const page = all.slice(from, from + Math.min(most, pageLimit));
  const isTruncated = from + page.length < all.length;
  const last = page.at(-1);
  answerXml(response, "ListMultipartUploadsResult", {
    Bucket: target.bucket,
    IsTruncated: isTruncated,
    ...(isTruncated && last && { NextKeyMarker: last.key, NextUploadIdMarker: last.id }),
    Upload: page.map(({ id, key, begunMs }) => ({
      Key: key,
      UploadId: id,
      Initiated: new Date(begunMs).toISOString(),
    })),
  });
};

/** The start of a page: behind the upload that the last one ended with, or behind its key when that is gone. */
function behind(all: readonly { id: string; key: string }[], key = "", id?: string): number {
  const marked = all.findIndex((one) => one.key === key && one.id === id);
  if (marked >= 0) return marked + 1;
  const next = all.findIndex((one) => one.key > key);
  return next < 0 ? all.length : next;
}
