import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type BlobListing, createBlobs } from "#core/blobs";
import { BlobMissing } from "#core/blobs/bucket";
import { countMeasured, measured } from "#tests/support/measured";
import { blobsPlace, digest } from "./place.ts";

describe("blobs", () => {
  const place = blobsPlace();
  const { blobs, keys, file } = place;

  it("put and get give back the bytes, also none", async () => {
    const bytes = randomBytes(70_000);
    await blobs().put(`${place.prefix}a`, bytes);
    await blobs().put(`${place.prefix}empty`, Buffer.alloc(0));
    expect(await blobs().get(`${place.prefix}a`)).toEqual(bytes);
    expect(await blobs().get(`${place.prefix}empty`)).toHaveLength(0);
  });

  it("get, read and stream throw BlobMissing naming the key when there is no object", async () => {
    const key = `${place.prefix}none`;
    for (const ask of [() => blobs().get(key), () => blobs().read(key, 0, 5)]) {
      await expect(ask()).rejects.toThrow(BlobMissing);
      await expect(ask()).rejects.toHaveProperty("key", key);
    }
    const stream = blobs().stream(key)[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toThrow(BlobMissing);
  });

  it("read gives the bytes from start up to but without end, fewer at the end of the object", async () => {
    await blobs().put(`${place.prefix}a`, Buffer.from("0123456789"));
    const read = async (start: number, end: number) =>
      (await blobs().read(`${place.prefix}a`, start, end)).toString();
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
    await blobs().put(`${place.prefix}a`, bytes);
    const chunks: Uint8Array[] = [];
    for await (const chunk of blobs().stream(`${place.prefix}a`, 1_000_000)) chunks.push(chunk);
    expect(digest(Buffer.concat(chunks))).toBe(digest(bytes.subarray(1_000_000)));
    for await (const chunk of blobs().stream(`${place.prefix}a`)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
  });

  it("a download goes on where its connection broke, as long as it gets on", async () => {
    const bytes = randomBytes(500_000);
    await blobs().put(`${place.prefix}a`, bytes);
    place.on.faults.inject({ service: "s3", operation: "GetObject", fault: "broken-body", times: 5 });
    const { result, usage } = await measured(() => blobs().read(`${place.prefix}a`, 1000, 400_000));
    expect(digest(result)).toBe(digest(bytes.subarray(1000, 400_000)));
    expect(usage).toMatchObject({ blobReads: 6, blobBytesRead: 399_000 });
  });

  it("a download whose connection always breaks at once fails", async () => {
    await blobs().put(`${place.prefix}a`, Buffer.from("0123456789"));
    place.on.faults.inject({ service: "s3", operation: "GetObject", fault: "unanswered", times: 100 });
    await expect(blobs().get(`${place.prefix}a`)).rejects.toHaveProperty("code", "ECONNRESET");
  });

  it("putFileAhead begins nothing where no part but the first stays as it is", async () => {
    const { path } = await file(100);
    expect(blobs().putFileAhead(`${place.prefix}short`, path, 32 * 1024 * 1024 - 1)).toBeUndefined();
    expect(await keys()).toEqual([]);
  });

  it("list gives all keys of a prefix in order, in as many requests as it takes", async () => {
    const names = ["a", "a/b", "b", "z", "é"].map((name) => place.prefix + name);
    for (const name of [...names].reverse()) await blobs().put(name, Buffer.from(name));
    await blobs().put(`x${place.prefix}other`, Buffer.from("x"));
    const client = place.client();
    client.middlewareStack.add((next) => (args) => next({ ...args, input: { ...args.input, MaxKeys: 2 } }), {
      step: "initialize",
    });
    const paged = createBlobs({
      bucket: place.on.standIns.bucket,
      client: async () => client,
      count: countMeasured,
    });
    const found: BlobListing[] = [];
    const { usage } = await measured(async () => {
      for await (const one of paged.list(place.prefix)) found.push(one);
    });
    client.destroy();
    expect(usage.operations).toEqual({ "s3:ListObjectsV2": 3 });
    expect(found.map(({ key, sizeBytes }) => ({ key, sizeBytes }))).toEqual(
      names.map((key) => ({ key, sizeBytes: Buffer.byteLength(key) })),
    );
  });

  it("remove takes any number of keys, 1,000 a request, absent ones too", async () => {
    await blobs().put(`${place.prefix}first`, Buffer.from("x"));
    await blobs().put(`${place.prefix}last`, Buffer.from("x"));
    const absent = Array.from({ length: 1000 }, (_, number) => `${place.prefix}absent-${number}`);
    const { usage } = await measured(() =>
      blobs().remove([`${place.prefix}first`, ...absent, `${place.prefix}last`]),
    );
    expect(usage.operations).toEqual({ "s3:DeleteObjects": 2 });
    expect(await keys()).toEqual([]);
  });

  it("remove says the MD5 of its list, which engines beside AWS ask for, beside the checksum that it announces", async () => {
    const client = place.client();
    const sent: Record<string, string>[] = [];
    client.middlewareStack.add(
      (next) => (args) => {
        sent.push((args.request as { headers: Record<string, string> }).headers);
        return next(args);
      },
      { step: "finalizeRequest", priority: "low" },
    );
    const store = createBlobs({ bucket: blobs().bucket, client: async () => client });
    await store.remove([`${place.prefix}any`]);
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
