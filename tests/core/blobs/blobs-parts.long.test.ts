import { randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import { ListPartsCommand } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { measured } from "#tests/support/measured";
import { blobsPlace, digest } from "./place.ts";

describe("blobs in parts of 16 MB", () => {
  const place = blobsPlace();
  const { blobs, keys, file } = place;

  it("putFile uploads small files at once and large ones in parts of 16 MB", async () => {
    const small = await file(100_000);
    const { usage } = await measured(() => blobs().putFile(`${place.prefix}small`, small.path));
    expect(usage.operations).toEqual({ "s3:PutObject": 1 });
    expect(usage.blobBytesWritten).toBe(100_000);
    expect(digest(await blobs().get(`${place.prefix}small`))).toBe(digest(small.bytes));
    const large = await file(33 * 1024 * 1024);
    const counted = await measured(() => blobs().putFile(`${place.prefix}large`, large.path));
    expect(counted.usage.operations).toEqual({
      "s3:CreateMultipartUpload": 1,
      "s3:UploadPart": 3,
      "s3:CompleteMultipartUpload": 1,
    });
    expect(counted.usage.blobBytesWritten).toBe(large.bytes.length);
    expect(digest(await blobs().get(`${place.prefix}large`))).toBe(digest(large.bytes));
  });

  it("putFileAhead sends what stays while the rest still changes, and the rest when it is finished", async () => {
    const part = 16 * 1024 * 1024;
    const { path, bytes } = await file(3 * part + 100);
    const upload = blobs().putFileAhead(`${place.prefix}ahead`, path, 3 * part + 80);
    expect(await keys()).toEqual([]);
    const [head, end] = [randomBytes(12), randomBytes(50)];
    const written = await open(path, "r+");
    await written.write(head, 0, head.length, 0);
    await written.write(end, 0, end.length, 3 * part + 80);
    await written.close();
    const changed = Buffer.concat([head, bytes.subarray(head.length, 3 * part + 80), end]);
    await upload?.finish();
    await upload?.abandon();
    expect(digest(await blobs().get(`${place.prefix}ahead`))).toBe(digest(changed));
  });

  it("an upload that fails in the middle leaves neither an object nor parts", async () => {
    const { path } = await file(20 * 1024 * 1024);
    let upload = {};
    place.on.faults.inject({
      service: "s3",
      operation: "UploadPart",
      fault: new Error("full"),
      skip: 1,
      fits: (input: { UploadId: string; Key: string; Bucket: string }) => {
        upload = { UploadId: input.UploadId, Key: input.Key, Bucket: input.Bucket };
        return true;
      },
    });
    await expect(blobs().putFile(`${place.prefix}large`, path)).rejects.toThrow("full");
    expect(await keys()).toEqual([]);
    const client = place.client();
    await expect(client.send(new ListPartsCommand(upload as never))).rejects.toHaveProperty(
      "name",
      "NoSuchUpload",
    );
    client.destroy();
  });
});
