import { receiveBody } from "./body.ts";
import { invalidArgument, malformedXml, notImplemented, S3Error } from "./error.ts";
import { answerXml, type Handler, readXml } from "./request.ts";
import { encodeStrictly } from "./signature.ts";
import { elements, elementText } from "./xml.ts";

const pageLimit = 1000;

/** HeadBucket: the bucket is there, or this would not have been reached. */
export const headBucket: Handler = async ({ response }) => {
  response.writeHead(200).end();
};

/** ListObjectsV2 with prefix, start-after, max-keys and continuation; without delimiter. */
export const listObjects: Handler = async ({ response, target, objects }) => {
  const { query } = target;
  if (query.get("list-type") !== "2") throw notImplemented(`list-type=${query.get("list-type")}`);
  const asked = Number(query.get("max-keys") ?? pageLimit);
  if (!Number.isInteger(asked) || asked < 0)
    throw invalidArgument("max-keys must be a whole number from 0 on.");
  const encoding = query.get("encoding-type");
  const shown = (text: string) => (encoding === "url" ? encodeStrictly(text).replaceAll("%2F", "/") : text);
  const prefix = query.get("prefix") ?? "";
  const token = query.get("continuation-token");
  const startAfter = query.get("start-after") ?? "";
  const after = token === undefined ? startAfter : Buffer.from(token, "base64url").toString();
  const page = await objects.list(prefix, after, Math.min(asked, pageLimit));
  const hasMore = page.hasMore && asked > 0;
  const last = page.objects.at(-1);
  answerXml(response, "ListBucketResult", {
    Name: target.bucket,
    Prefix: shown(prefix),
    StartAfter: startAfter === "" ? undefined : shown(startAfter),
    KeyCount: page.objects.length,
    MaxKeys: Math.min(asked, pageLimit),
    EncodingType: encoding,
    IsTruncated: hasMore,
    ContinuationToken: token,
    NextContinuationToken: hasMore && last ? Buffer.from(last.key).toString("base64url") : undefined,
    Contents: page.objects.map((object) => ({
      Key: shown(object.key),
      LastModified: new Date(object.modified).toISOString(),
      ETag: `"${object.etag}"`,
      Size: object.sizeBytes,
      StorageClass: "STANDARD",
    })),
  });
};

/** DeleteObjects: up to 1,000 keys, with a checksum of the list; absent ones count as deleted. */
export const deleteObjects: Handler = async ({ source, response, headers, objects }) => {
  if (![...headers.keys()].some((name) => name === "content-md5" || name.startsWith("x-amz-checksum-"))) {
    throw new S3Error(400, "InvalidRequest", "Missing required header for this request: Content-MD5");
  }
  const xml = await readXml(receiveBody(source, headers).chunks);
  const keys = elements(xml, "Object").map((object) => {
    const key = elementText(object, "Key");
    if (key === undefined || key === "") throw malformedXml();
    if (elementText(object, "VersionId") !== undefined) throw notImplemented("VersionId in DeleteObjects");
    return key;
  });
  if (keys.length === 0 || keys.length > pageLimit) throw malformedXml();
  await objects.remove(keys);
  const isQuiet = elementText(xml, "Quiet") === "true";
  answerXml(response, "DeleteResult", { Deleted: isQuiet ? undefined : keys.map((Key) => ({ Key })) });
};
