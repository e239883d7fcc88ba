import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweepPackageObjects } from "#core/package/contents";
import { findingsOf } from "#tests/support/findings";
import {
  alice,
  announce,
  api,
  at,
  lambda,
  post,
  put,
  sha256,
  usePackagesBehindEdge,
} from "./packages-behind-edge.ts";

const page = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "docs", "limits.md");

usePackagesBehindEdge();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-package-"));
});
afterAll(() => rm(folder, { recursive: true }));

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

describe("completeGenericPackageFile", () => {
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
