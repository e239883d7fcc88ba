import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweepPackageObjects } from "#core/package/contents";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type HandlersBehindEdge, startHandlersBehindEdge } from "#tests/support/edge/handlers-behind-edge";
import { findingsOf } from "#tests/support/findings";

const page = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "docs", "limits.md");

let api: TestApi;
let alice: Caller;
let bob: Caller;
let lambda: HandlersBehindEdge;
let folder: string;
beforeAll(async () => {
  api = await makeApi();
  await api.makeUser({ name: "root", isAdmin: true });
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  lambda = await startHandlersBehindEdge(api.forge, { isReachable: true });
  folder = await mkdtemp(join(tmpdir(), "coldforge-package-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await lambda.stop();
  await api.stop();
});

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const at = (path: string) => `${lambda.url}/api/packages/alice/generic/${path}`;

async function post(path: string, body: object, as = alice) {
  const headers = { authorization: `token ${as.token}`, "content-type": "application/json" };
  const answer = await fetch(at(path), { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, text, json: text.startsWith("{") ? JSON.parse(text) : undefined };
}

const put = async (url: string, bytes: Uint8Array) =>
  (await fetch(url, { method: "PUT", headers: { "if-none-match": "*" }, body: new Uint8Array(bytes) }))
    .status;

const announce = async (path: string, bytes: Uint8Array) =>
  (await post(path, { size: bytes.length, sha256: sha256(bytes) })).json;

describe("behind the edge", () => {
  it("413: what Lambda would not take is refused with words, in the form of the registry", async () => {
    const body = randomBytes(4_600_000);
    const headers = { authorization: `token ${alice.token}` };
    const generic = await fetch(at("big/1/f"), { method: "PUT", headers, body });
    expect([generic.status, await generic.text()]).toEqual([
      413,
      expect.stringContaining("announce the file"),
    ]);
    const npm = await fetch(`${lambda.url}/api/packages/alice/npm/big`, { method: "PUT", headers, body });
    expect([npm.status, await npm.json()]).toEqual([413, { error: expect.stringContaining("announce") }]);
  });

  it("the script of docs/limits.md puts a larger file straight to S3, and it comes back", async () => {
    const [, script = ""] = /<!-- package -->\n```sh\n([\s\S]*?)```/.exec(await readFile(page, "utf8")) ?? [];
    const bytes = randomBytes(5 * 2 ** 20);
    await writeFile(join(folder, "tool.bin"), bytes);
    const names = { OWNER: "alice", NAME: "tool", VERSION: "1.0.0", FILE: "tool.bin" };
    const env = { ...process.env, ...names, URL: lambda.url, TOKEN: alice.token };
    await promisify(execFile)("sh", ["-euc", script], { cwd: folder, env });
    const answer = await fetch(at("tool/1.0.0/tool.bin"));
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(bytes));
    expect(await findingsOf(api)).toEqual([]);
  });
});

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

  it("422: bytes of another hash; 400: words for another place, another user's, or none", async () => {
    const bytes = Buffer.from("some bytes");
    const { upload, upload_url: url } = await announce("c/1/f", bytes);
    expect(await put(url, Buffer.from("lots bytes"))).toBe(200);
    expect((await post("c/1/f/complete", { upload })).status).toBe(422);
    expect((await post("c/1/other/complete", { upload })).status).toBe(400);
    expect((await post("c/1/f/complete", { upload: `${upload}x` })).status).toBe(400);
    api.clock.advance(13 * 3_600_000);
    expect((await post("c/1/f/complete", { upload })).status).toBe(400);
  });

  it("what nobody completed is removed after a day, what was completed stays", async () => {
    const kept = Buffer.from("is kept");
    const done = await announce("d/1/f", kept);
    expect(await put(done.upload_url, kept)).toBe(200);
    expect((await post("d/1/f/complete", { upload: done.upload })).status).toBe(201);
    const left = await announce("d/1/g", Buffer.from("is left"));
    expect(await put(left.upload_url, Buffer.from("is left"))).toBe(200);
    api.clock.advance(25 * 3_600_000);
    await sweepPackageObjects(api.forge);
    expect(await (await fetch(at("d/1/f"))).text()).toBe("is kept");
    // Nobody works on events here.
    expect((await findingsOf(api)).filter(({ invariant }) => invariant !== 20)).toEqual([]);
  });
});
