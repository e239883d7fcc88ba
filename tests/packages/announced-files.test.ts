import { describe, expect, it } from "vitest";
import { announce, bob, post, put, sha256, usePackagesBehindEdge } from "./packages-behind-edge.ts";

usePackagesBehindEdge();

describe("announceGenericPackageFile", () => {
  it("400: no hash; 413: more than a package may have; 401: who may not write (D-CHALLENGE)", async () => {
    const hash = sha256(Buffer.from("x"));
    expect((await post("a/1/f", { size: 1, sha256: "no" })).status).toBe(400);
    expect((await post("a/1/f", { size: 2 ** 40, sha256: hash })).status).toBe(413);
    expect((await post("a/1/f", { size: 1, sha256: hash }, bob)).status).toBe(401);
    expect((await post("a/1/f", { size: 1, sha256: hash }, { ...bob, token: "none" })).status).toBe(401);
  });
});

describe("completeGenericPackageFile", () => {
  it("201 once; 409: nothing was put, or the file is there", async () => {
    const bytes = Buffer.from("some bytes");
    const { upload, upload_url: url } = await announce("b/1/f", bytes);
    expect((await post("b/1/f/complete", { upload })).status).toBe(409);
    expect(await put(url, bytes)).toBe(200);
    expect((await post("b/1/f/complete", { upload })).status).toBe(201);
    expect((await post("b/1/f/complete", { upload })).status).toBe(409);
  });
});
