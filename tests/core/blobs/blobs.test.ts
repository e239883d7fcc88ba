import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListPartsCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BlobListing, createBlobs } from "#core/blobs";
import { BlobMissing } from "#core/blobs/bucket";
import { makeForge, type TestForge } from "#tests/support/forge";
import { countMeasured, measured } from "#tests/support/measured";

describe("blobs", () => {
  let on: TestForge;
  let folder = "";
  let prefix = "";
  let tests = 0;
  beforeAll(async () => {
    on = await makeForge();
    folder = await mkdtemp(join(tmpdir(), "coldforge-blobs-"));
  });
  beforeEach(() => {
    on.faults.recover();
    tests += 1;
    prefix = `t${tests}/`;
  });
  afterAll(async () => {
    await on.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const blobs = () => on.forge.blobs;
  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of blobs().list(prefix)) found.push(key);
    return found;
  }
  async function file(sizeBytes: number): Promise<{ path: string; bytes: Buffer }> {
    const path = join(folder, `${tests}`);
    const bytes = randomBytes(sizeBytes);
    await writeFile(path, bytes);
    return { path, bytes };
  }
  const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

  it("put and get give back the bytes, also none", async () => {
    const bytes = randomBytes(70_000);
    await blobs().put(`${prefix}a`, bytes);
    await blobs().put(`${prefix}empty`, Buffer.alloc(0));
    expect(await blobs().get(`${prefix}a`)).toEqual(bytes);
    expect(await blobs().get(`${prefix}empty`)).toHaveLength(0);
  });

  it("get, read and stream throw BlobMissing naming the key when there is no object", async () => {
    const key = `${prefix}none`;
    for (const ask of [() => blobs().get(key), () => blobs().read(key, 0, 5)]) {
      await expect(ask()).rejects.toThrow(BlobMissing);
      await expect(ask()).rejects.toHaveProperty("key", key);
    }
    const stream = blobs().stream(key)[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toThrow(BlobMissing);
  });

  it("read gives the bytes from start up to but without end, fewer at the end of the object", async () => {
    await blobs().put(`${prefix}a`, Buffer.from("0123456789"));
    const read = async (start: number, end: number) =>
      (await blobs().read(`${prefix}a`, start, end)).toString();
    expect([
      await read(0, 3),
      await read(3, 4),
      await read(7, 10),
      await read(8, 99),
      await read(4, 4),
    ]).toEqual(["012", "3", "789", "89", ""]);
  });

  it("stream gives the rest from a place on, and may be left early", async () => {
    const bytes = randomBytes(3_000_000);
    await blobs().put(`${prefix}a`, bytes);
    const chunks: Uint8Array[] = [];
    for await (const chunk of blobs().stream(`${prefix}a`, 1_000_000)) chunks.push(chunk);
    expect(digest(Buffer.concat(chunks))).toBe(digest(bytes.subarray(1_000_000)));
    for await (const chunk of blobs().stream(`${prefix}a`)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
  });

  it("a download goes on where its connection broke, as long as it gets on", async () => {
    const bytes = randomBytes(500_000);
    await blobs().put(`${prefix}a`, bytes);
    on.faults.inject({ service: "s3", operation: "GetObject", fault: "broken-body", times: 5 });
    const { result, usage } = await measured(() => blobs().read(`${prefix}a`, 1000, 400_000));
    expect(digest(result)).toBe(digest(bytes.subarray(1000, 400_000)));
    expect(usage).toMatchObject({ blobReads: 6, blobBytesRead: 399_000 });
  });

  it("a download whose connection always breaks at once fails", async () => {
    await blobs().put(`${prefix}a`, Buffer.from("0123456789"));
    on.faults.inject({ service: "s3", operation: "GetObject", fault: "unanswered", times: 100 });
    await expect(blobs().get(`${prefix}a`)).rejects.toHaveProperty("code", "ECONNRESET");
  });

  it("putFile uploads small files at once and large ones in parts of 16 MB", async () => {
    const small = await file(100_000);
    const { usage } = await measured(() => blobs().putFile(`${prefix}small`, small.path));
    expect(usage.operations).toEqual({ "s3:PutObject": 1 });
    expect(usage.blobBytesWritten).toBe(100_000);
    expect(digest(await blobs().get(`${prefix}small`))).toBe(digest(small.bytes));
    const large = await file(33 * 1024 * 1024);
    const counted = await measured(() => blobs().putFile(`${prefix}large`, large.path));
    expect(counted.usage.operations).toEqual({
      "s3:CreateMultipartUpload": 1,
      "s3:UploadPart": 3,
      "s3:CompleteMultipartUpload": 1,
    });
    expect(counted.usage.blobBytesWritten).toBe(large.bytes.length);
    expect(digest(await blobs().get(`${prefix}large`))).toBe(digest(large.bytes));
  });

  it("putFileAhead sends what stays while the rest still changes, and the rest when it is finished", async () => {
    const part = 16 * 1024 * 1024;
    const { path, bytes } = await file(3 * part + 100);
    const upload = blobs().putFileAhead(`${prefix}ahead`, path, 3 * part + 80);
    expect(await keys()).toEqual([]);
    const [head, end] = [randomBytes(12), randomBytes(50)];
    const written = await open(path, "r+");
    await written.write(head, 0, head.length, 0);
    await written.write(end, 0, end.length, 3 * part + 80);
    await written.close();
    const changed = Buffer.concat([head, bytes.subarray(head.length, 3 * part + 80), end]);
    await upload?.finish();
    await upload?.abandon();
    expect(digest(await blobs().get(`${prefix}ahead`))).toBe(digest(changed));
  });

  it("putFileAhead begins nothing where no part but the first stays as it is", async () => {
    const { path } = await file(100);
    expect(blobs().putFileAhead(`${prefix}short`, path, 32 * 1024 * 1024 - 1)).toBeUndefined();
    expect(await keys()).toEqual([]);
  });

  it("an upload that fails in the middle leaves neither an object nor parts", async () => {
    const { path } = await file(20 * 1024 * 1024);
    let upload = {};
    on.faults.inject({
      service: "s3",
      operation: "UploadPart",
      fault: new Error("full"),
      skip: 1,
      fits: (input: { UploadId: string; Key: string; Bucket: string }) => {
        upload = { UploadId: input.UploadId, Key: input.Key, Bucket: input.Bucket };
        return true;
      },
    });
    await expect(blobs().putFile(`${prefix}large`, path)).rejects.toThrow("full");
    expect(await keys()).toEqual([]);
    const client = clientOf(on);
    await expect(client.send(new ListPartsCommand(upload as never))).rejects.toHaveProperty(
      "name",
      "NoSuchUpload",
    );
    client.destroy();
  });

  it("list gives all keys of a prefix in order, in as many requests as it takes", async () => {
    const names = ["a", "a/b", "b", "z", "é"].map((name) => prefix + name);
    for (const name of [...names].reverse()) await blobs().put(name, Buffer.from(name));
    await blobs().put(`x${prefix}other`, Buffer.from("x"));
    const client = clientOf(on);
    client.middlewareStack.add((next) => (args) => next({ ...args, input: { ...args.input, MaxKeys: 2 } }), {
      step: "initialize",
    });
    const paged = createBlobs({
      bucket: on.standIns.bucket,
      client: async () => client,
      count: countMeasured,
    });
    const found: BlobListing[] = [];
    const { usage } = await measured(async () => {
      for await (const one of paged.list(prefix)) found.push(one);
    });
    client.destroy();
    expect(usage.operations).toEqual({ "s3:ListObjectsV2": 3 });
    expect(found.map(({ key, sizeBytes }) => ({ key, sizeBytes }))).toEqual(
      names.map((key) => ({ key, sizeBytes: Buffer.byteLength(key) })),
    );
  });

  it("remove takes any number of keys, 1,000 a request, absent ones too", async () => {
    await blobs().put(`${prefix}first`, Buffer.from("x"));
    await blobs().put(`${prefix}last`, Buffer.from("x"));
    const absent = Array.from({ length: 1000 }, (_, place) => `${prefix}absent-${place}`);
    const { usage } = await measured(() => blobs().remove([`${prefix}first`, ...absent, `${prefix}last`]));
    expect(usage.operations).toEqual({ "s3:DeleteObjects": 2 });
    expect(await keys()).toEqual([]);
  });

  it("remove says the MD5 of its list, which engines beside AWS ask for, beside the checksum that it announces", async () => {
    const client = clientOf(on);
    const sent: Record<string, string>[] = [];
    client.middlewareStack.add(
      (next) => (args) => {
        sent.push((args.request as { headers: Record<string, string> }).headers);
        return next(args);
      },
      { step: "finalizeRequest", priority: "low" },
    );
    const store = createBlobs({ bucket: blobs().bucket, client: async () => client });
    await store.remove([`${prefix}any`]);
    const md5 = expect.stringMatching(/^[\w+/]{22}==$/);
    expect(sent).toMatchObject([
      {
        "content-md5": md5,
        "x-amz-sdk-checksum-algorithm": "CRC32",
        "x-amz-checksum-crc32": expect.any(String),
      },
    ]);
    client.destroy();
  });
});

function clientOf({ standIns: { s3Endpoint: endpoint, region, credentials } }: TestForge): S3Client {
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true });
}
