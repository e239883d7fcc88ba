import { createHash, createHmac } from "node:crypto";
import { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Blobs, createBlobs } from "#core/blobs";

const secretAccessKey = "wJalrXUtnFEMI";
const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** The signature that S3 finds for a request to a presigned address (AWS Signature Version 4, query parameters). */
function signatureOf(method: string, address: string, headers: Readonly<Record<string, string>>): string {
  const { hostname, pathname, search } = new URL(address);
  const query = search.slice(1).split("&");
  const given = (name: string) => new URLSearchParams(search).get(name) ?? "";
  const signedHeaders = given("X-Amz-SignedHeaders");
  const sent: Readonly<Record<string, string>> = { host: hostname, ...headers };
  const canonical = [
    method,
    pathname,
    query
      .filter((pair) => !pair.startsWith("X-Amz-Signature="))
      .sort()
      .join("&"),
    ...signedHeaders.split(";").map((name) => `${name}:${sent[name] ?? ""}`),
    "",
    signedHeaders,
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const [, ...scope] = given("X-Amz-Credential").split("/");
  const key = scope.reduce<string | Buffer>((one, part) => hmac(one, part), `AWS4${secretAccessKey}`);
  const text = ["AWS4-HMAC-SHA256", given("X-Amz-Date"), scope.join("/"), hash(canonical)].join("\n");
  return hmac(key, text).toString("hex");
}
const givenIn = (address: string) => new URL(address).searchParams;

describe("presigned addresses", () => {
  let client: S3Client;
  let blobs: Blobs;
  beforeAll(() => {
    const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey };
    client = new S3Client({ region: "eu-central-1", credentials });
    blobs = createBlobs({ bucket: "some-bucket", client: async () => client, isReachable: true });
  });
  afterAll(() => client.destroy());

  it("uploadUrl: lets put one object of this size, once, for so long", async () => {
    const address = (await blobs.uploadUrl("r/7/a/x y", 12, 3600)) ?? "";
    expect(address).toMatch(/^https:\/\/some-bucket\.s3\.eu-central-1\.amazonaws\.com\/r\/7\/a\/x%20y\?/);
    const given = givenIn(address);
    expect(given.get("X-Amz-Expires")).toBe("3600");
    expect(given.get("X-Amz-SignedHeaders")).toBe("content-length;host;if-none-match");
    const sent = { "content-length": "12", "if-none-match": "*" };
    expect(given.get("X-Amz-Signature")).toBe(signatureOf("PUT", address, sent));
    for (const other of [
      { ...sent, "content-length": "13" },
      { ...sent, "if-none-match": "" },
    ]) {
      expect(given.get("X-Amz-Signature")).not.toBe(signatureOf("PUT", address, other));
    }
  });

  it("uploadUrl: again, when a copy counts, without a header that clients would have to know", async () => {
    const address = (await blobs.uploadUrl("r/7/a/x", 12, 3600, { again: true })) ?? "";
    expect(givenIn(address).get("X-Amz-SignedHeaders")).toBe("content-length;host");
    const signature = givenIn(address).get("X-Amz-Signature");
    expect(signature).toBe(signatureOf("PUT", address, { "content-length": "12" }));
    expect(signature).not.toBe(signatureOf("PUT", address, { "content-length": "13" }));
  });

  it("checkedUpload: lets put this content alone, as often as it takes", async () => {
    const content = { sizeBytes: 5, sha256: hash("bytes") };
    const signed = await blobs.checkedUpload("lfs/u/x", content, 3600);
    const { url = "", headers = {} } = signed ?? {};
    const given = givenIn(url);
    expect(headers).toEqual({
      "x-amz-checksum-sha256": createHash("sha256").update("bytes").digest("base64"),
    });
    expect(given.get("X-Amz-SignedHeaders")).toBe("content-length;host;x-amz-checksum-sha256");
    const sent = { ...headers, "content-length": "5" };
    expect(given.get("X-Amz-Signature")).toBe(signatureOf("PUT", url, sent));
    for (const other of [
      { ...sent, "content-length": "6" },
      { ...sent, "x-amz-checksum-sha256": createHash("sha256").update("other").digest("base64") },
      { "content-length": "5" },
    ]) {
      expect(given.get("X-Amz-Signature")).not.toBe(signatureOf("PUT", url, other));
    }
  });

  it("downloadUrl: lets read an object under this type and name, whatever the name", async () => {
    const contentDisposition = "attachment; filename=\"a_b (1)!.zip\"; filename*=UTF-8''gr%C3%B6%C3%9Fe*.zip";
    const as = { contentType: "application/zip", contentDisposition };
    const address = (await blobs.downloadUrl("r/7/a/x", as, 300)) ?? "";
    const given = givenIn(address);
    expect(given.get("response-content-type")).toBe("application/zip");
    expect(given.get("response-content-disposition")).toBe(contentDisposition);
    expect([given.get("X-Amz-Expires"), given.get("X-Amz-SignedHeaders")]).toEqual(["300", "host"]);
    expect(given.get("X-Amz-Signature")).toBe(signatureOf("GET", address, {}));
  });

  it("undefined where clients don't reach S3", async () => {
    const shut = createBlobs({ bucket: "some-bucket", client: async () => client });
    const as = { contentType: "text/plain", contentDisposition: "inline" };
    const content = { sizeBytes: 1, sha256: hash("x") };
    expect([
      await shut.uploadUrl("k", 1, 60),
      await shut.downloadUrl("k", as, 60),
      await shut.checkedUpload("k", content, 60),
    ]).toEqual([undefined, undefined, undefined]);
  });
});
