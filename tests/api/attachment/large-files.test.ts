import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { attachmentKey } from "#core/attachment/attachment.table";
import type { Forge } from "#core/forge";
import { update } from "#core/table/write";
import { createApi } from "#functions/api/app";
import { tick } from "#functions/workers/tick";
import { checkContract } from "#tests/support/contract/contract";
import { setRepository } from "../repository/make.ts";
import { beside } from "./make.ts";
import { type AttachmentWorld, startAttachments } from "./world.ts";

let world: AttachmentWorld;
beforeAll(async () => {
  world = await startAttachments();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());
const hour = 3_600_000;

describe("where clients reach S3", () => {
  const s3 = "https://bucket.s3.example/";
  const reached = (): Forge => ({
    ...world.api.forge,
    blobs: {
      ...world.api.forge.blobs,
      uploadUrl: async (key, sizeBytes) => `${s3}${key}?put=${sizeBytes}`,
      downloadUrl: async (key, { contentType, contentDisposition }) =>
        `${s3}${key}?as=${contentType}&name=${encodeURIComponent(contentDisposition)}`,
    },
  });

  it("302: S3 gives out what is too large for a stream, to callers who may read it; it is counted (downloadAttachment)", async () => {
    const {
      id,
      uuid,
      browser_download_url: url,
    } = await world.upload(world.onIssue(), world.author, { name: "a.zip" });
    const askThere = beside({ ...world.api, forge: reached() });
    expect((await askThere(url)).status).toBe(200);
    const key = attachmentKey(world.where.repository.id, id);
    await world.api.forge.table.write(update(key, { set: { sizeBytes: 151 * 2 ** 20 } }));
    const { status, headers } = await askThere(url);
    expect([status, headers.get("cache-control")]).toEqual([302, "no-store"]);
    expect(headers.get("location")).toMatch(`${s3}r/${world.where.repository.id}/a/${uuid}?as=text/plain`);
    expect((await world.get(`${world.onIssue()}/${id}`)).download_count).toBe(2);
    await setRepository(world.api, world.where, { isPrivate: true });
    expect((await askThere(url)).status).toBe(404);
    expect((await askThere(url, { as: world.owner })).status).toBe(302);
  });

  it("202: an announced file is put there", async () => {
    const app = createApi({ forge: reached(), observe: checkContract });
    const answer = await app.request(`/api/v1${world.onIssue()}`, {
      method: "POST",
      headers: { authorization: `token ${world.author.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "big.zip", size: 7 }),
    });
    const json = (await answer.json()) as { uuid: string; upload_url: string };
    expect([answer.status, json.upload_url]).toEqual([
      202,
      `${s3}r/${world.where.repository.id}/a/${json.uuid}?put=7`,
    ]);
  });
});

describe("a file that is larger than a request may be", () => {
  const announce = (body: object, as = world.author, path = world.onIssue()) =>
    world.api.call("POST", path, { as, body });
  const put = (url: string, bytes: string) => world.ask(url, { method: "PUT", body: bytes });

  it("202, 204, 201: announced, put by itself, made an attachment by the user who announced it", async () => {
    const announced = await announce({ name: "big.zip", size: 5 });
    expect([announced.status, announced.json.expires_at]).toEqual([202, world.ago(-hour)]);
    const { uuid, upload_url: url } = announced.json;
    expect((await announce({ uuid })).status).toBe(409);
    expect((await world.ask(url)).status).toBe(404);
    expect((await put(url, "bytes")).status).toBe(204);
    const at = world.ago(hour);
    expect((await announce({ uuid, updated_at: at }, world.owner)).status).toBe(404);
    expect((await announce({ uuid, updated_at: at })).status).toBe(403);
    const made = await announce({ uuid });
    expect([made.status, made.json]).toEqual([
      201,
      expect.objectContaining({ uuid, name: "big.zip", size: 5 }),
    ]);
    expect((await world.ask(made.json.browser_download_url)).text).toBe("bytes");
    expect(await world.usage()).toEqual([1, 5]);
    expect((await put(url, "other")).status).toBe(404);
    expect((await announce({ uuid })).status).toBe(404);
  });

  it.each([
    ["the body", (body: object, updated_at: string) => announce({ ...body, updated_at }, world.owner)],
    [
      "the query",
      (body: object, at: string) => announce(body, world.owner, `${world.onIssue()}?updated_at=${at}`),
    ],
  ])("201: made an attachment with a date in %s, which is the issue's, too (B-01c)", async (_where, make) => {
    const { uuid, upload_url: url } = (await announce({ name: "big.zip", size: 5 }, world.owner)).json;
    expect((await put(url, "bytes")).status).toBe(204);
    const at = world.ago(hour);
    for (const wrong of [world.ago(3 * hour), world.ago(-hour)]) {
      expect((await make({ uuid }, wrong)).status).toBe(403);
    }
    const { status, json } = await make({ uuid }, at);
    expect([status, json.uuid, json.created_at]).toEqual([201, uuid, at]);
    expect((await world.issue()).updated_at).toBe(at);
    expect(await world.get(world.onIssue())).toMatchObject([{ uuid, created_at: at }]);
  });

  it("400: neither form; 413: announced over the bound; 422: put with another size, an unknown kind", async () => {
    for (const body of [{}, { name: "a.txt" }, { size: 3 }]) expect((await announce(body)).status).toBe(400);
    expect((await announce({ name: "a.txt", size: 2 ** 20 + 1 })).status).toBe(413);
    expect((await announce({ name: "a.txt", size: -1 })).status).toBe(422);
    expect((await announce({ name: "a.txt", size: 5 }, world.reader)).status).toBe(403);
    const { uuid, upload_url: url } = (await announce({ name: "run.exe", size: 5 })).json;
    expect([(await put(url, "1234")).status, (await put(url, "123456")).status]).toEqual([422, 422]);
    expect((await put(url, "12345")).status).toBe(204);
    expect((await put(url, "54321")).status).toBe(409);
    expect((await announce({ uuid })).status).toBe(422);
    expect((await announce({ uuid }, world.author, world.onComment())).status).toBe(404);
    expect(await world.get(world.onIssue())).toEqual([]);
  });

  it("404: once it is too late; its file goes", async () => {
    const { uuid, upload_url: url } = (await announce({ name: "a.txt", size: 5 })).json;
    await put(url, "12345");
    world.api.clock.advance(25 * hour);
    expect((await announce({ uuid })).status).toBe(404);
    world.api.clock.advance(25 * hour);
    await tick(world.api.forge);
    expect(await world.filesLeft()).toBe(0);
  });
});
