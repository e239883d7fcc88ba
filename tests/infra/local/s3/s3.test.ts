import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLog } from "#core/log";
import { type S3, startS3 } from "#infra/local/s3/s3";
import { presign } from "./presign.ts";

const bucket = "forge";
const credentials = { accessKeyId: "local", secretAccessKey: "secret" };
const connect = ({ endpoint }: { endpoint: string }, keys = credentials) =>
  new S3Client({ endpoint, region: "us-east-1", credentials: keys, forcePathStyle: true });

let folder: string;
let running: S3;
let client: S3Client;
let lines: string[];

const start = async () => {
  running = await startS3({ folder, bucket, credentials, log: createLog((line) => lines.push(line)) });
  client = connect(running);
};
const restart = async () => {
  await running.stop();
  await start();
};
const put = (Key: string, Body: string | Uint8Array) =>
  client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
const get = async (Key: string) => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
  return (await Body?.transformToString()) ?? "";
};
const list = async () => {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  return Contents.map(({ Key }) => Key);
};
const files = async () => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-s3-"));
  lines = [];
  await start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await running.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("startS3", () => {
  it("keeps objects, deletions and begun uploads over a stop and a start", async () => {
    const upload = { Bucket: bucket, Key: "parts" };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
    const part = { ...upload, UploadId, PartNumber: 1, Body: "part" };
    const { ETag } = await client.send(new UploadPartCommand(part));
    await put("kept", "kept");
    await put("gone", "gone");
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: "gone" }));
    await restart();
    expect(await get("kept")).toBe("kept");
    const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
    await client.send(new CompleteMultipartUploadCommand({ ...upload, UploadId, MultipartUpload }));
    expect(await list()).toEqual(["kept", "parts"]);
  });

  it("lists what is stored and removed while the first list reads the files", async () => {
    for (const key of ["a", "b", "c"]) await put(key, key);
    await restart();
    const [listed] = await Promise.all([
      list(),
      put("d", "d"),
      client.send(new DeleteObjectCommand({ Bucket: bucket, Key: "a" })),
    ]);
    expect(listed).toEqual(expect.arrayContaining(["b", "c"]));
    expect(await list()).toEqual(["b", "c", "d"]);
  });

  it("removes what writes of an earlier run left unfinished", async () => {
    await running.stop();
    await mkdir(join(folder, "unfinished"), { recursive: true });
    await writeFile(join(folder, "unfinished", "left"), "left behind");
    await start();
    expect(await files()).toEqual([]);
  });

  it("tells of a damaged object and lists the others", async () => {
    await put("whole", "whole");
    const [whole] = await files();
    await put("damaged", "damaged");
    const path = (await files()).find((one) => one !== whole) ?? "";
    await truncate(path, 20);
    await restart();
    expect(await list()).toEqual(["whole"]);
    await expect(get("damaged")).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
    expect(lines.join()).toContain("s3:damaged-object");
  });

  it("403: answers nobody who signs with another secret", async () => {
    await put("a", "a");
    const thief = connect(running, { ...credentials, secretAccessKey: "guessed" });
    const attempt = thief.send(new GetObjectCommand({ Bucket: bucket, Key: "a" }));
    await expect(attempt).rejects.toMatchObject({ name: "SignatureDoesNotMatch" });
    const stranger = connect(running, { ...credentials, accessKeyId: "other" });
    const other = stranger.send(new GetObjectCommand({ Bucket: bucket, Key: "a" }));
    await expect(other).rejects.toMatchObject({ name: "InvalidAccessKeyId" });
  });

  it("404: knows its one bucket", async () => {
    const other = client.send(new GetObjectCommand({ Bucket: "other", Key: "a" }));
    await expect(other).rejects.toMatchObject({ name: "NoSuchBucket" });
  });
});

describe("what the stand-in does not implement", () => {
  const target = { Bucket: bucket, Key: "a" };
  const refusal = (message: RegExp) => ({
    name: "NotImplemented",
    message: expect.stringMatching(message),
    $metadata: { httpStatusCode: 501 },
  });

  it("501: is refused by the operation's name", async () => {
    await expect(client.send(new GetObjectTaggingCommand(target))).rejects.toMatchObject(
      refusal(/GET object tagging/),
    );
    const copy = client.send(new CopyObjectCommand({ ...target, CopySource: "forge/b" }));
    await expect(copy).rejects.toMatchObject(refusal(/CopyObject/));
  });

  it("501: is refused by the header's or parameter's name", async () => {
    const conditional = client.send(new PutObjectCommand({ ...target, Body: "x", IfMatch: '"x"' }));
    await expect(conditional).rejects.toMatchObject(refusal(/if-match of PutObject/));
    const encrypted = client.send(
      new PutObjectCommand({ ...target, Body: "x", ServerSideEncryption: "AES256" }),
    );
    await expect(encrypted).rejects.toMatchObject(refusal(/x-amz-server-side-encryption/));
    const folders = client.send(new ListObjectsV2Command({ Bucket: bucket, Delimiter: "/" }));
    await expect(folders).rejects.toMatchObject(refusal(/delimiter/));
    const version = client.send(new GetObjectCommand({ ...target, VersionId: "1" }));
    await expect(version).rejects.toMatchObject(refusal(/versionId|GetObject/));
    expect(await list()).toEqual([]);
  });
});

describe("an upload that fails", () => {
  it("507: leaves nothing behind when the disk is full, and the object as it was", async () => {
    await put("a", "before");
    const before = await files();
    const handle = await open(before[0] ?? "");
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    for (const method of ["appendFile", "datasync"] as const) {
      vi.spyOn(prototype, method).mockRejectedValueOnce(full);
      await expect(put("a", "after")).rejects.toMatchObject({ name: "InsufficientStorage" });
      expect(await files()).toEqual(before);
    }
    expect(await get("a")).toBe("before");
    expect(lines.filter((line) => line.includes("s3:request-failed"))).toHaveLength(2);
    await put("a", "after");
    expect(await get("a")).toBe("after");
  });

  it("leaves nothing behind when the client goes away in the middle", async () => {
    const address = await presign(client, { method: "PUT", bucket, key: "cut" });
    const upload = request(address, { method: "PUT", headers: { "content-length": 1_000_000 } });
    upload.on("error", () => undefined); // our own doing
    upload.write(randomBytes(100_000));
    await expect.poll(files).toHaveLength(1);
    upload.destroy();
    await expect.poll(files).toEqual([]);
    expect(await list()).toEqual([]);
  });

  it("400: refuses a body that is not well chunked or not as long as it was said to be", async () => {
    const headers = { "content-encoding": "aws-chunked", "x-amz-decoded-content-length": "5" };
    const send = async (body: string) => {
      const address = await presign(client, { method: "PUT", bucket, key: "chunked" });
      const answer = await fetch(address, { method: "PUT", body, headers });
      return `${answer.status} ${/<Code>(.*?)</.exec(await answer.text())?.[1] ?? ""}`;
    };
    expect(await send("5\r\nhello\r\n0\r\n\r\n")).toBe("200 ");
    expect(await get("chunked")).toBe("hello");
    expect(await send("4\r\nhell\r\n0\r\n\r\n")).toBe("400 IncompleteBody");
    expect(await send("6\r\nhello!\r\n0\r\n\r\n")).toBe("400 IncompleteBody");
    expect(await send("5\r\nhello")).toBe("400 IncompleteBody");
    expect(await send("zz\r\nhello\r\n0\r\n\r\n")).toBe("400 IncompleteBody");
    expect(await send("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n")).toBe("400 BadDigest");
    expect(await send("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n")).toBe("200 ");
    expect((await files()).length).toBe(1);
  });
});
