import { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Artifact } from "#core/artifact/artifact.table";
import { confirmArtifact } from "#core/artifact/confirm";
import { confirmKind, confirmLargeArtifact } from "#core/artifact/confirm-large";
import { announceArtifactPiece, orderArtifactPieces, type PiecePlace } from "#core/artifact/pieces";
import type { Blobs } from "#core/blobs";
import type { Forge } from "#core/forge";
import { tick } from "#functions/workers/tick";
import { presign } from "#tests/infra/local/s3/presign";
import { makeForge, type TestForge } from "#tests/support/forge";
import { runJobs } from "#tests/support/jobs";
import { type ArtifactWorld, sha256, startArtifacts } from "./world.ts";

/* Where clients reach S3: the stand-in takes what `Blobs` signs for S3 under its own address. */

let world: ArtifactWorld;
let beside: TestForge;
let client: S3Client;
let forge: Forge;
beforeAll(async () => {
  world = await startArtifacts({ MIRROR_WAIT: "0" });
  beside = await makeForge();
  const { s3Endpoint: endpoint, region, credentials, bucket } = beside.standIns;
  client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const uploadUrl: Blobs["uploadUrl"] = (key, sizeBytes, expiresSeconds, { again = false } = {}) => {
    const headers = { "content-length": String(sizeBytes), ...(!again && { "if-none-match": "*" }) };
    return presign(client, { method: "PUT", bucket, key, expiresSeconds, headers });
  };
  forge = { ...world.api.forge, blobs: { ...world.api.forge.blobs, uploadUrl } };
});
beforeEach(() => world.begin());
afterAll(async () => {
  client.destroy();
  await beside.stop();
  await world.api.stop();
});

const put = async (url: string | undefined, body: string) =>
  (await fetch(url ?? "", { method: "PUT", body })).status;

/** Announces a piece and puts it. */
async function send(upload: Artifact, place: PiecePlace, bytes: string): Promise<void> {
  expect(await put(await announceArtifactPiece(forge, upload, place, bytes.length), bytes)).toBe(200);
}

describe("an announced piece", () => {
  it("goes straight to S3, without a header of ours and more than once; blocks are joined in their order", async () => {
    const upload = await world.open(7, "blocks");
    await send(upload, { block: "b" }, "former");
    await send(upload, { block: "b" }, "second");
    const url = await announceArtifactPiece(forge, upload, { block: "a" }, 6);
    expect([await put(url, "wrong"), await put(url, "firsT "), await put(url, "first ")]).toEqual([
      403, 200, 200,
    ]);
    await orderArtifactPieces(forge, upload, ["a", "b"]);
    const made = await confirmArtifact(forge, upload, { sha256: sha256("first second") });
    expect(await world.bytes(made.id)).toBe("first second");
    // The address counts for an hour: what is put there now is no part of the artifact.
    expect(await put(url, "later!")).toBe(200);
    expect(await world.bytes(made.id)).toBe("first second");
    world.api.clock.advance(3 * 3_600_000);
    await tick(world.api.forge);
    expect((await world.left())[1]).toBe(1);
    await world.expectWhole();
  });

  it("that is the only one is copied as well", async () => {
    const upload = await world.open(7, "one");
    const url = await announceArtifactPiece(forge, upload, "appended", 5);
    expect(await put(url, "bytes")).toBe(200);
    const made = await confirmArtifact(forge, upload, {});
    expect(await put(url, "other")).toBe(200);
    expect(await world.bytes(made.id)).toBe("bytes");
  });

  it("that never came keeps the artifact from being confirmed; it can come later", async () => {
    const upload = await world.open(7, "late");
    const url = await announceArtifactPiece(forge, upload, "appended", 5);
    await expect(confirmArtifact(forge, upload, {})).rejects.toThrow("not put under its address");
    expect(await put(url, "bytes")).toBe(200);
    expect((await confirmArtifact(forge, upload, {})).sizeBytes).toBe(5);
  });

  it("counts towards the bounds, and belongs to an open upload", async () => {
    const upload = await world.open(7, "large");
    await announceArtifactPiece(forge, upload, { block: "a" }, 2 ** 20);
    await expect(announceArtifactPiece(forge, upload, { block: "a" }, 1)).rejects.toThrow("at most 1 MiB");
    const other = { ...upload, number: upload.number + 1 };
    await expect(announceArtifactPiece(forge, other, "appended", 1)).rejects.toThrow("no such artifact");
  });

  it("has no address where clients don't reach S3, and counts for nothing", async () => {
    const upload = await world.open(7, "here");
    expect(await announceArtifactPiece(world.api.forge, upload, "appended", 5)).toBeUndefined();
    await expect(confirmArtifact(forge, upload, {})).rejects.toThrow("has no pieces");
  });
});

describe("confirmLargeArtifact", () => {
  const small = { atOnce: 4 };
  const work = () => runJobs(world.api, confirmKind);

  it("has a job join many bytes: the same request, sent again, is answered by it", async () => {
    const upload = await world.open(7, "large");
    for (const bytes of ["one", "two"]) await world.add(upload, "appended", bytes);
    const claim = { sha256: sha256("onetwo") };
    for (const _time of [1, 2]) {
      await expect(confirmLargeArtifact(forge, upload, claim, small)).rejects.toMatchObject({
        code: "unavailable",
      });
    }
    await work();
    expect(await confirmLargeArtifact(forge, upload, claim, small)).toMatchObject({ state: "confirmed" });
    expect(await world.usage()).toEqual([1, 6]);
    await world.expectWhole();
  });

  it("tells once what the uploader did wrong, and takes the next try", async () => {
    const upload = await world.open(7, "wrong");
    for (const bytes of ["one", "two"]) await world.add(upload, "appended", bytes);
    const wrong = { sha256: sha256("other") };
    const [, objects] = await world.left();
    await expect(confirmLargeArtifact(forge, upload, wrong, small)).rejects.toThrow("ask again");
    await work();
    await expect(confirmLargeArtifact(forge, upload, wrong, small)).rejects.toThrow("SHA-256");
    expect((await world.left())[1]).toBe(objects);
    await expect(confirmLargeArtifact(forge, upload, {}, small)).rejects.toThrow("ask again");
    await work();
    expect(await confirmLargeArtifact(forge, upload, {}, small)).toMatchObject({ state: "confirmed" });
  });

  it("joins few bytes at once", async () => {
    const upload = await world.open(7, "small");
    await world.add(upload, "appended", "few");
    expect(await confirmLargeArtifact(forge, upload, {}, small)).toMatchObject({ state: "confirmed" });
  });
});
