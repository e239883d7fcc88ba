import { createHash, randomBytes, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type ConformanceTarget, connectTarget } from "../target.ts";
import { presign } from "./presign.ts";

// Runs against AWS too: see target.ts for the variables.

const minute = 60_000;
let target: ConformanceTarget;
const prefix = `conformance/${randomUUID()}/`;
const at = (key: string) => ({ Bucket: target.bucket, Key: prefix + key });
const put = (key: string, Body: string | Uint8Array) =>
  target.s3.send(new PutObjectCommand({ ...at(key), Body }));
const get = async (key: string) => {
  const { Body } = await target.s3.send(new GetObjectCommand(at(key)));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};
const list = async (options: object = {}) => {
  const command = new ListObjectsV2Command({ Bucket: target.bucket, Prefix: prefix, ...options });
  const page = await target.s3.send(command);
  return { ...page, keys: (page.Contents ?? []).map((one) => one.Key?.slice(prefix.length)) };
};
const sign = (method: "GET" | "PUT", key: string, options: object = {}) =>
  presign(target.s3, { method, bucket: target.bucket, key: prefix + key, ...options });

beforeAll(async () => {
  target = await connectTarget();
});
afterAll(async () => {
  try {
    const { Contents = [] } = await list();
    const Objects = Contents.map(({ Key }) => ({ Key }));
    if (Objects.length > 0) {
      await target.s3.send(new DeleteObjectsCommand({ Bucket: target.bucket, Delete: { Objects } }));
    }
  } finally {
    await target.stop();
  }
});

describe("PutObject and GetObject", () => {
  it("give back the bytes, the headers and the metadata", async () => {
    const given = { ContentType: "text/plain", CacheControl: "no-store", ContentDisposition: "attachment" };
    const Metadata = { owner: "7" };
    const stored = await target.s3.send(
      new PutObjectCommand({ ...at("a"), ...given, Metadata, Body: "hello" }),
    );
    const found = await target.s3.send(new GetObjectCommand(at("a")));
    expect(found).toMatchObject({
      ...given,
      Metadata,
      ContentLength: 5,
      AcceptRanges: "bytes",
      ETag: stored.ETag,
    });
    expect(Math.abs(Date.now() - (found.LastModified?.getTime() ?? 0))).toBeLessThan(5 * minute);
    expect(await found.Body?.transformToString()).toBe("hello");
  });

  it("keep an empty object", async () => {
    await put("empty", new Uint8Array());
    expect(await get("empty")).toHaveLength(0);
  });

  it("replace an object", async () => {
    await put("replaced", "one");
    await put("replaced", "second");
    expect((await get("replaced")).toString()).toBe("second");
  });

  it("take keys of any characters", async () => {
    const key = "a b/ü+~(x)!*'&<>%2F?#/../日本";
    await put(key, "odd");
    expect((await get(key)).toString()).toBe("odd");
    expect((await list({ Prefix: `${prefix}a b/` })).keys).toEqual([key]);
  });

  it("take a stream (aws-chunked with a checksum behind it)", async () => {
    const bytes = randomBytes(3_000_000);
    const pieces = [bytes.subarray(0, 17), bytes.subarray(17, 1_000_000), bytes.subarray(1_000_000)];
    const Body = Readable.from(pieces);
    await target.s3.send(new PutObjectCommand({ ...at("stream"), Body, ContentLength: bytes.length }));
    expect((await get("stream")).equals(bytes)).toBe(true);
    const head = await target.s3.send(new HeadObjectCommand(at("stream")));
    expect(head).toMatchObject({ ContentLength: bytes.length });
    expect(head.ContentEncoding || undefined).toBeUndefined();
  });

  it.each(["SHA1", "SHA256", "CRC32"] as const)("check a %s checksum", async (ChecksumAlgorithm) => {
    await target.s3.send(new PutObjectCommand({ ...at("checked"), Body: "checked", ChecksumAlgorithm }));
    expect((await get("checked")).toString()).toBe("checked");
  });

  it("BadDigest: refuse bytes that don't have the checksum given, and keep what was there", async () => {
    await put("digest", "before");
    const wrong = { ...at("digest"), Body: "after", ChecksumCRC32: "AAAAAA==" };
    await expect(target.s3.send(new PutObjectCommand(wrong))).rejects.toThrow(/checksum|digest|CRC32/i);
    expect((await get("digest")).toString()).toBe("before");
  });

  it("NoSuchKey: refuse an object that is absent", async () => {
    await expect(get("absent")).rejects.toMatchObject({
      name: "NoSuchKey",
      $metadata: { httpStatusCode: 404 },
    });
  });

  it.each([
    ["bytes=2-4", "cde", "bytes 2-4/10"],
    ["bytes=7-", "hij", "bytes 7-9/10"],
    ["bytes=-3", "hij", "bytes 7-9/10"],
    ["bytes=8-100", "ij", "bytes 8-9/10"],
    ["bytes=-100", "abcdefghij", "bytes 0-9/10"],
  ])("206: give the range %s", async (Range, text, ContentRange) => {
    await put("ranged", "abcdefghij");
    const found = await target.s3.send(new GetObjectCommand({ ...at("ranged"), Range }));
    expect(found).toMatchObject({
      ContentRange,
      ContentLength: text.length,
      $metadata: { httpStatusCode: 206 },
    });
    expect(await found.Body?.transformToString()).toBe(text);
  });

  it("416: refuse a range outside of the object", async () => {
    await put("ranged", "abcdefghij");
    const command = new GetObjectCommand({ ...at("ranged"), Range: "bytes=10-12" });
    await expect(target.s3.send(command)).rejects.toMatchObject({ name: "InvalidRange" });
  });

  it("412: with If-None-Match: * an object is put only where nothing lies", async () => {
    const once = (Body: string) =>
      target.s3.send(new PutObjectCommand({ ...at("once"), Body, IfNoneMatch: "*" }));
    await once("first");
    await expect(once("second")).rejects.toMatchObject({ name: "PreconditionFailed" });
    const { Body } = await target.s3.send(new GetObjectCommand(at("once")));
    expect(await Body?.transformToString()).toBe("first");
  });

  it("304 and 412: follow If-None-Match and If-Match", async () => {
    const { ETag } = await put("conditional", "x");
    const changed = new GetObjectCommand({ ...at("conditional"), IfNoneMatch: ETag });
    await expect(target.s3.send(changed)).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } });
    const other = new GetObjectCommand({ ...at("conditional"), IfMatch: '"other"' });
    await expect(target.s3.send(other)).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } });
    const same = await target.s3.send(new GetObjectCommand({ ...at("conditional"), IfMatch: ETag }));
    expect(await same.Body?.transformToString()).toBe("x");
  });
});

describe("HeadObject and HeadBucket", () => {
  it("tell size and type without the bytes", async () => {
    await target.s3.send(new PutObjectCommand({ ...at("head"), Body: "12345", ContentType: "text/css" }));
    const head = await target.s3.send(new HeadObjectCommand(at("head")));
    expect(head).toMatchObject({ ContentLength: 5, ContentType: "text/css" });
  });

  it("404: tell of an absent object", async () => {
    await expect(target.s3.send(new HeadObjectCommand(at("absent")))).rejects.toMatchObject({
      name: "NotFound",
    });
  });

  it("find the bucket", async () => {
    const { $metadata } = await target.s3.send(new HeadBucketCommand({ Bucket: target.bucket }));
    expect($metadata.httpStatusCode).toBe(200);
  });
});

describe("DeleteObject and DeleteObjects", () => {
  it("remove an object, and one that is absent", async () => {
    await put("gone", "x");
    await target.s3.send(new DeleteObjectCommand(at("gone")));
    await expect(get("gone")).rejects.toMatchObject({ name: "NoSuchKey" });
    await target.s3.send(new DeleteObjectCommand(at("gone")));
  });

  it("remove many at once, odd and absent keys included", async () => {
    await Promise.all(["many/1", "many/&<2>'\"", "many/3"].map((key) => put(key, "x")));
    const Objects = ["many/1", "many/&<2>'\"", "many/none"].map((key) => ({ Key: prefix + key }));
    const answer = await target.s3.send(
      new DeleteObjectsCommand({ Bucket: target.bucket, Delete: { Objects } }),
    );
    expect(answer.Errors ?? []).toEqual([]);
    expect(answer.Deleted).toHaveLength(3);
    expect((await list({ Prefix: `${prefix}many/` })).keys).toEqual(["many/3"]);
  });

  it("remove nothing by a list whose Content-MD5 is another's, or whose announced checksum is not there", async () => {
    await put("kept", "x");
    const batch = { Bucket: target.bucket, Delete: { Objects: [{ Key: `${prefix}kept` }] } };
    const wrong = new DeleteObjectsCommand(batch);
    wrong.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        headers["content-md5"] = createHash("md5").update("another list").digest("base64");
        return next(args);
      },
      { step: "build", priority: "low" },
    );
    await expect(target.s3.send(wrong)).rejects.toMatchObject({ name: "BadDigest" });
    const announced = new DeleteObjectsCommand({ ...batch, ChecksumAlgorithm: "MD5" });
    await expect(target.s3.send(announced)).rejects.toMatchObject({ name: "InvalidRequest" });
    expect((await get("kept")).toString()).toBe("x");
    await target.s3.send(new DeleteObjectsCommand(batch));
    await expect(get("kept")).rejects.toMatchObject({ name: "NoSuchKey" });
  });
});

describe("ListObjectsV2", () => {
  const keys = ["list/a", "list/a/b", "list/a0", "list/B", "list/é", "list/\u{ff61}", "list/\u{1f600}"];
  const ordered = ["list/B", "list/a", "list/a/b", "list/a0", "list/é", "list/\u{ff61}", "list/\u{1f600}"];
  const listing = { Prefix: `${prefix}list/` };

  it("gives keys under a prefix in the order of their UTF-8 bytes, with size, ETag and date", async () => {
    for (const key of keys) await put(key, key);
    await put("lisu", "beyond the prefix");
    const page = await list(listing);
    expect(page.keys).toEqual(ordered);
    expect(page).toMatchObject({ IsTruncated: false, KeyCount: keys.length });
    const head = await target.s3.send(new HeadObjectCommand(at("list/a")));
    expect(page.Contents?.[1]).toMatchObject({ Size: 6, ETag: head.ETag, LastModified: head.LastModified });
  });

  it("goes on where a page ended", async () => {
    for (const key of keys) await put(key, key);
    const found: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await list({ ...listing, MaxKeys: 3, ...defined({ ContinuationToken }) });
      expect(page.keys.length).toBeLessThanOrEqual(3);
      found.push(...page.keys);
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    expect(found).toEqual(ordered);
  });

  it("starts after a key that need not exist", async () => {
    for (const key of keys) await put(key, key);
    expect((await list({ ...listing, StartAfter: `${prefix}list/a/` })).keys).toEqual(ordered.slice(2));
  });

  it("gives nothing under a prefix that nobody uses", async () => {
    expect(await list({ Prefix: `${prefix}nobody` })).toMatchObject({ KeyCount: 0, IsTruncated: false });
  });
});

describe("multipart upload", () => {
  const create = async (key: string) => {
    const command = new CreateMultipartUploadCommand({ ...at(key), ContentType: "text/x-parts" });
    return { ...at(key), UploadId: (await target.s3.send(command)).UploadId };
  };
  type Upload = Awaited<ReturnType<typeof create>>;
  const upload = async (to: Upload, PartNumber: number, Body: Uint8Array) => {
    const { ETag } = await target.s3.send(new UploadPartCommand({ ...to, PartNumber, Body }));
    return { ETag, PartNumber };
  };
  const complete = (to: Upload, Parts: Awaited<ReturnType<typeof upload>>[]) =>
    target.s3.send(new CompleteMultipartUploadCommand({ ...to, MultipartUpload: { Parts } }));

  it("joins parts in their order, whatever the order they came in", async () => {
    const bytes = randomBytes(5 * 1024 * 1024 + 1000);
    const started = await create("parts");
    const second = await upload(started, 2, bytes.subarray(5 * 1024 * 1024));
    const replaced = await upload(started, 1, Buffer.from("replaced"));
    const first = await upload(started, 1, bytes.subarray(0, 5 * 1024 * 1024));
    expect(replaced.ETag).not.toBe(first.ETag);
    const { Parts } = await target.s3.send(new ListPartsCommand(started));
    expect(Parts?.map((part) => [part.PartNumber, part.Size])).toEqual([
      [1, 5 * 1024 * 1024],
      [2, 1000],
    ]);
    await expect(get("parts")).rejects.toMatchObject({ name: "NoSuchKey" });
    const { ETag } = await complete(started, [first, second]);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/);
    expect((await get("parts")).equals(bytes)).toBe(true);
    const head = await target.s3.send(new HeadObjectCommand(at("parts")));
    expect(head).toMatchObject({ ContentType: "text/x-parts", ETag });
    await expect(upload(started, 3, Buffer.from("x"))).rejects.toMatchObject({ name: "NoSuchUpload" });
  });

  it("lists uploads that have not ended by prefix, a page at a time", async () => {
    const begun = [await create("begun/a"), await create("begun/b")];
    const ended = await create("begun/c");
    await target.s3.send(new AbortMultipartUploadCommand(ended));
    const found: (string | undefined)[] = [];
    const begins = { Bucket: target.bucket, Prefix: `${prefix}begun/`, MaxUploads: 1 };
    let next: Partial<ListMultipartUploadsCommandInput> | undefined = {};
    while (next !== undefined) {
      const command = new ListMultipartUploadsCommand({ ...begins, ...next });
      const page: ListMultipartUploadsCommandOutput = await target.s3.send(command);
      found.push(...(page.Uploads ?? []).map((one) => one.UploadId));
      const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      next = page.IsTruncated ? { KeyMarker, UploadIdMarker } : undefined;
    }
    expect(found).toEqual(begun.map(({ UploadId }) => UploadId));
    for (const one of begun) await target.s3.send(new AbortMultipartUploadCommand(one));
  });

  it("refuses parts that are unknown, out of order or too small, and can still be completed", async () => {
    const started = await create("refused");
    const first = await upload(started, 1, Buffer.from("small"));
    const second = await upload(started, 2, Buffer.from("last"));
    const wrong = { PartNumber: 2, ETag: first.ETag };
    await expect(complete(started, [first, wrong])).rejects.toMatchObject({ name: "InvalidPart" });
    await expect(complete(started, [second, first])).rejects.toMatchObject({ name: "InvalidPartOrder" });
    await expect(complete(started, [first, second])).rejects.toMatchObject({ name: "EntityTooSmall" });
    await complete(started, [second]);
    expect((await get("refused")).toString()).toBe("last");
  });

  it("forgets the parts when aborted", async () => {
    const started = await create("aborted");
    await upload(started, 1, Buffer.from("x"));
    await target.s3.send(new AbortMultipartUploadCommand(started));
    await expect(target.s3.send(new ListPartsCommand(started))).rejects.toMatchObject({
      name: "NoSuchUpload",
    });
  });
});

describe("presigned addresses", () => {
  it("let anyone get an object, under the headers that the address asks for", async () => {
    await put("shown/a b", "shown");
    const query = {
      "response-content-disposition": 'attachment; filename="a b"',
      "response-content-type": "text/x",
    };
    const answer = await fetch(await sign("GET", "shown/a b", { query }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="a b"');
    expect(answer.headers.get("content-type")).toBe("text/x");
    expect(await answer.text()).toBe("shown");
  });

  it("let anyone put an object, with the signed content type alone", async () => {
    const address = await sign("PUT", "given", { headers: { "content-type": "text/plain" } });
    const wrong = await fetch(address, {
      method: "PUT",
      body: "x",
      headers: { "content-type": "text/html" },
    });
    expect(wrong.status).toBe(403);
    const right = await fetch(address, {
      method: "PUT",
      body: "given",
      headers: { "content-type": "text/plain" },
    });
    expect(right.status).toBe(200);
    expect((await get("given")).toString()).toBe("given");
  });

  it("403: expire", async () => {
    await put("late", "late");
    const signedAt = new Date(Date.now() - minute);
    const late = await fetch(await sign("GET", "late", { expiresSeconds: 30, signedAt }));
    expect(late.status).toBe(403);
    expect(await late.text()).toContain("expired");
    expect((await fetch(await sign("GET", "late", { expiresSeconds: 90, signedAt }))).status).toBe(200);
  });

  it("403: hold for one key, one method and the signed parameters alone", async () => {
    await put("mine", "mine");
    await put("other", "other");
    const address = await sign("GET", "mine");
    expect((await fetch(address)).status).toBe(200);
    expect((await fetch(address.replace("/mine?", "/other?"))).status).toBe(403);
    expect((await fetch(address, { method: "PUT", body: "x" })).status).toBe(403);
    expect((await fetch(`${address}&response-content-type=text/html`)).status).toBe(403);
    expect((await fetch(address.replace("X-Amz-Expires=60", "X-Amz-Expires=6000"))).status).toBe(403);
  });

  it("403: are needed by those who sign nothing", async () => {
    const address = new URL(await sign("GET", "mine"));
    address.search = "";
    expect((await fetch(address)).status).toBe(403);
  });
});
