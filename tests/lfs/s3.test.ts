import { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Blobs } from "#core/blobs";
import { lfsObjectKey } from "#core/lfs/lfs.table";
import { update } from "#core/table/write";
import { presign } from "#tests/infra/local/s3/presign";
import { makeForge, type TestForge } from "#tests/support/forge";
import { LfsWorld, named, startLfs } from "./world.ts";

/*
 * Where clients reach S3, as on AWS: the stand-in takes what `Blobs` signs for S3 under its own address.
 */

let plain: LfsWorld;
let world: LfsWorld;
let beside: TestForge;
let client: S3Client;
beforeAll(async () => {
  plain = await startLfs({ LFS_MAX_FILE_SIZE: "0", GIT_MAX_SPOOL_BYTES: String(2 ** 40) });
  beside = await makeForge();
  const { s3Endpoint: endpoint, region, credentials, bucket } = beside.standIns;
  client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const { api, alice, bob } = plain;
  const blobs: Blobs = {
    ...api.forge.blobs,
    async checkedUpload(key, { sizeBytes, sha256 }, expiresSeconds) {
      const headers = { "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64") };
      const signed = { ...headers, "content-length": String(sizeBytes) };
      const url = await presign(client, { method: "PUT", bucket, key, expiresSeconds, headers: signed });
      return { url, headers };
    },
    downloadUrl: (key, _as, expiresSeconds) =>
      presign(client, { method: "GET", bucket, key, expiresSeconds }),
  };
  world = new LfsWorld({ ...api, forge: { ...api.forge, blobs } }, [alice, bob]);
  await world.begin();
});
afterAll(async () => {
  client.destroy();
  await beside.stop();
  await plain.api.stop();
});

const put = async ({ href, header }: { href: string; header: Record<string, string> }, body: string) =>
  (await fetch(href, { method: "PUT", headers: header, body })).status;

describe("where clients reach S3", () => {
  it("objects go straight there and come from there, without anybody's credentials", async () => {
    const object = named("straight to S3");
    const { actions } = await world.one("upload", object);
    expect(actions.upload.href).toMatch(/X-Amz-Signature=/);
    expect([actions.upload.header.Authorization, actions.upload.expires_in]).toEqual([undefined, 3_600]);
    const verify = () => world.act(actions.verify, "POST", { body: object });
    expect((await verify()).status).toBe(404);
    expect(await put(actions.upload, "straight to S3")).toBe(200);
    expect(await world.objects()).toEqual([]);
    expect([(await verify()).status, (await verify()).status]).toEqual([200, 200]);
    expect(await world.objects()).toEqual([object.oid]);
    const { actions: then } = await world.one("download", object);
    expect(then.download.header).toBeUndefined();
    expect(await (await fetch(then.download.href)).text()).toBe("straight to S3");
    expect(await world.one("upload", object)).toEqual(object);
  });

  it("S3 itself refuses content of another hash or length; it can't be verified then", async () => {
    const object = named("the true one");
    const { actions } = await world.one("upload", object);
    for (const wrong of ["the other one", "the false on", "the true one "]) {
      expect(await put(actions.upload, wrong)).toBeGreaterThanOrEqual(400);
    }
    expect((await world.act(actions.verify, "POST", { body: object })).status).toBe(404);
    const other = { ...object, size: 13 };
    expect((await world.act(actions.verify, "POST", { body: other })).status).toBe(404);
    expect(await world.objects()).not.toContain(object.oid);
  });

  it("an upload proves possession for its own repository alone", async () => {
    const object = named("whose is it");
    const { actions } = await world.one("upload", object);
    expect(await put(actions.upload, "whose is it")).toBe(200);
    await world.begin();
    const elsewhere = await world.act(actions.verify, "POST", { body: object });
    expect(elsewhere.status).toBe(200); // for the repository of its address
    expect(await world.objects()).toEqual([]);
    const path = `alice/${world.name}`;
    const stolen = await world.ask("POST", "verify", { headers: actions.verify.header, body: object }, path);
    expect(stolen.status).toBe(404);
  });

  it("422: an object of more than S3 takes in one upload, in words; the others go on", async () => {
    const huge = { oid: "a".repeat(64), size: 5 * 2 ** 30 + 1 };
    const largest = { oid: "b".repeat(64), size: 5 * 2 ** 30 };
    const { json } = await world.batch("upload", [huge, largest]);
    const [refused, taken] = json.objects;
    expect(refused.error).toEqual({
      code: 422,
      message: expect.stringMatching(/S3 takes at most \d+ bytes/),
    });
    expect(taken.actions.upload.href).toMatch(/X-Amz-Signature=/);
  });

  it("302: a large object asked for here comes from there", async () => {
    const object = await plainUpload("asked for here");
    const key = lfsObjectKey(world.id, object.oid);
    await world.api.forge.table.write(update(key, { set: { sizeBytes: 151 * 2 ** 20 } }));
    const answer = await world.ask("GET", `objects/${object.oid}`, { as: world.alice });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      302,
      expect.stringMatching(/X-Amz-Sig/),
    ]);
  });

  const plainUpload = async (content: string) => {
    const object = named(content);
    const { oid, size } = object;
    const sent = await world.ask("PUT", `objects/${oid}/${size}`, { as: world.alice, raw: content });
    expect(sent.status, sent.text).toBe(200);
    return object;
  };
});
