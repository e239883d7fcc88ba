import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attachmentFile } from "#core/attachment/attachment.table";
import { partBytes } from "#core/blobs/multipart";
import { boundedIntake } from "#core/capacity/intake";
import { createApi } from "#functions/api/app";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";

const mib = 2 ** 20;
const fileMib = 200;

let api: TestApi;
let owner: Caller;
let where: TestRepository;
beforeAll(async () => {
  api = await makeApi({ settings: { ATTACHMENT_MAX_SIZE: "256" } });
  owner = await api.makeUser();
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner);
});
afterAll(() => api.stop());

/** A form with a file of so many MiB, made as it is read, and what it was. */
function largeForm() {
  const hash = createHash("sha256");
  async function* pieces() {
    yield Buffer.from(
      '--b\r\ncontent-disposition: form-data; name="attachment"; filename="a.zip"\r\ncontent-type: application/zip\r\n\r\n',
    );
    for (let at = 0; at < fileMib; at += 1) {
      const piece = Buffer.alloc(mib, at % 251);
      hash.update(piece);
      yield piece;
    }
    yield Buffer.from("\r\n--b--\r\n");
  }
  return { hash, body: ReadableStream.from(pieces()) };
}

describe("issueCreateIssueAttachment", () => {
  it("201: 200 MiB go to S3 in 13 parts, hold one part of memory, and come back the same", async () => {
    const { hash: sent, body } = largeForm();
    const intake = boundedIntake(api.forge.config);
    const app = createApi({ forge: api.forge, intake, showsCost: true });
    const answer = await app.request(`/api/v1${where.path}/issues/1/assets`, {
      method: "POST",
      headers: { authorization: `token ${owner.token}`, "content-type": "multipart/form-data; boundary=b" },
      body,
      duplex: "half",
    } as RequestInit);
    const json = (await answer.json()) as { uuid: string; size: number };
    expect([answer.status, json.size]).toEqual([201, fileMib * mib]);
    // One that opens the upload, 13 parts, one that completes it.
    expect(answer.headers.get("server-timing")).toMatch(/objects;desc="0 reads, 15 writes"/);
    expect(intake.memory.peak).toBeLessThanOrEqual(partBytes + 2 * mib);
    expect(intake.memory.held).toBe(0);
    const hash = createHash("sha256");
    const key = attachmentFile(where.repository.id, json.uuid);
    for await (const piece of api.forge.blobs.stream(key)) hash.update(piece);
    expect(hash.digest("hex")).toBe(sent.digest("hex"));
  });
});
