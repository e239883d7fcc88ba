import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attachmentFile } from "#core/attachment/attachment.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, openIssue, type TestRepository } from "../issue/make.ts";

const mib = 2 ** 20;
const fileMib = 200;
const partMib = 16;

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

/** A form with a file of so many MiB, made as it is read; what it was, and how far its reader was ahead of S3. */
function largeForm() {
  const sent = { hash: createHash("sha256"), parts: 0, mostAhead: 0 };
  const fits = () => {
    sent.parts += 1;
    return false;
  };
  api.faults.inject({ service: "s3", operation: "UploadPart", fault: "throttled", fits });
  async function* pieces() {
    yield Buffer.from(
      '--b\r\ncontent-disposition: form-data; name="attachment"; filename="a.zip"\r\ncontent-type: application/zip\r\n\r\n',
    );
    for (let at = 0; at < fileMib; at += 1) {
      const piece = Buffer.alloc(mib, at % 251);
      sent.hash.update(piece);
      sent.mostAhead = Math.max(sent.mostAhead, at - sent.parts * partMib);
      yield piece;
    }
    yield Buffer.from("\r\n--b--\r\n");
  }
  return { sent, body: ReadableStream.from(pieces()) };
}

describe("issueCreateIssueAttachment", () => {
  it("201: 200 MiB go to S3 in 13 parts as they come, at most two of them ahead of it, and come back the same", async () => {
    const { sent, body } = largeForm();
    const answer = await api.app.request(`/api/v1${where.path}/issues/1/assets`, {
      method: "POST",
      headers: { authorization: `token ${owner.token}`, "content-type": "multipart/form-data; boundary=b" },
      body,
      duplex: "half",
    } as RequestInit);
    const json = (await answer.json()) as { uuid: string; size: number };
    expect([answer.status, json.size]).toEqual([201, fileMib * mib]);
    // One that opens the upload, 13 parts, one that completes it.
    expect(answer.headers.get("server-timing")).toMatch(/objects;desc="0 reads, 15 writes"/);
    expect([sent.parts, sent.mostAhead <= 2 * partMib]).toEqual([13, true]);
    const hash = createHash("sha256");
    const key = attachmentFile(where.repository.id, json.uuid);
    for await (const piece of api.forge.blobs.stream(key)) hash.update(piece);
    expect(hash.digest("hex")).toBe(sent.hash.digest("hex"));
  });
});
