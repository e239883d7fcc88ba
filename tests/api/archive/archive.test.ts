import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readZip } from "#tests/git/archive/read-zip";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let first: string;
let branch: string;
const root = "http://127.0.0.1:3000/api/v1/repos/alice/Project";

beforeAll(async () => {
  api = await makeApi();
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  await makeRepository(api, alice, "Project");
  first = await pushFiles(api, alice, "Project", {
    seconds: 1_000_000_000,
    files: {
      "a.txt": "one\n",
      "b/c.txt": "$Format:%H$\n",
      "left.out": "x",
      ".gitattributes": "*.out export-ignore\nb/* export-subst\n",
    },
  });
  branch = await pushFiles(api, alice, "Project", {
    branch: "x/y",
    from: "main",
    files: { "a.txt": "two\n" },
  });
  await pushRef(api, alice, "Project", { ref: "refs/tags/v1.0", id: first });
  await makeRepository(api, alice, "empty");
  await makeRepository(api, alice, "secret", { private: true });
  await pushFiles(api, alice, "secret", { files: { "a.txt": "hidden" } });
});
afterAll(() => api.stop());

/** An answer with its bytes. */
async function download(path: string, options: { as?: Caller; headers?: Record<string, string> } = {}) {
  const headers = { ...options.headers, ...(options.as && { authorization: `token ${options.as.token}` }) };
  const response = await api.app.request(
    `/api/v1/repos/alice/${path}`,
    { headers },
    { clientAddress: "192.0.2.1" },
  );
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

describe("repoGetArchive", () => {
  it("200: a zip in a folder named like the repository, attributes obeyed (semantics §37.2, OP-repoGetArchive)", async () => {
    const { status, headers, body } = await download("Project/archive/v1.0.zip");
    expect(status).toBe(200);
    const { members, comment } = readZip(body);
    expect(comment).toBe(first);
    expect(members.map(({ name }) => name)).toEqual([
      ...["project/", "project/.gitattributes", "project/a.txt", "project/b/", "project/b/c.txt"],
    ]);
    expect(members.at(-1)?.content.toString()).toBe(`${first}\n`);
    expect(headers.get("content-type")).toBe("application/zip");
    expect(headers.get("content-length")).toBe(String(body.length));
    expect(headers.get("content-disposition")).toContain('attachment; filename="Project-v1.0.zip"');
    expect(headers.get("link")).toBe(`<${root}/archive/${first}.zip?rev=${first}>; rel="immutable"`);
  });

  it("200: a ref with slashes, encoded or not, is named with hyphens; tar.gz", async () => {
    for (const path of ["x/y.tar.gz", "x%2Fy.tar.gz"]) {
      const { status, headers, body } = await download(`Project/archive/${path}`);
      expect(status, path).toBe(200);
      expect(headers.get("content-type")).toBe("application/gzip");
      expect(headers.get("content-disposition")).toContain('filename="Project-x-y.tar.gz"');
      expect(gunzipSync(body).toString("latin1")).toContain("two\n");
      expect(gunzipSync(body).toString("latin1")).toContain(`comment=${branch}\n`);
    }
  });

  it("200: a bundle that git clones", async () => {
    const { body, headers } = await download("Project/archive/main.bundle");
    expect(headers.get("content-type")).toBe("application/octet-stream");
    const folder = await temporaryFolder();
    await writeFile(join(folder, "main.bundle"), body);
    await git(folder, ["clone", "-q", "main.bundle", "copy"]);
    expect(await gitText(join(folder, "copy"), ["rev-parse", "HEAD", "main"])).toBe(`${first}\n${first}`);
  });

  it("304 and 206: whoever has it is not sent it again, and a broken download goes on", async () => {
    const whole = await download("Project/archive/main.zip");
    const known = { "if-none-match": whole.headers.get("etag") ?? "" };
    expect((await download("Project/archive/main.zip", { headers: known })).status).toBe(304);
    const rest = await download("Project/archive/main.zip", { headers: { range: "bytes=100-" } });
    expect(rest.status).toBe(206);
    expect(rest.body.equals(whole.body.subarray(100))).toBe(true);
  });

  it("is made once for a commit, and again when its time is over", async () => {
    const stored = async () => {
      let count = 0;
      for await (const { key } of api.forge.blobs.list("archives/")) if (key.endsWith(".tar.gz")) count += 1;
      return count;
    };
    await download(`Project/archive/${first}.tar.gz`);
    const before = await stored();
    const again = await Promise.all(
      ["main", "v1.0", first].map((ref) => download(`Project/archive/${ref}.tar.gz`)),
    );
    expect(await stored()).toBe(before);
    api.clock.advance(21 * 3600 * 1000);
    const later = await download("Project/archive/main.tar.gz");
    expect(await stored()).toBe(before + 1);
    expect(later.body.equals(again[0]?.body as Buffer)).toBe(true);
  });

  it("400: no ending or another; 404: an unknown ref, an empty repository, one that is hidden", async () => {
    for (const name of ["main", "main.rar", "main.tar", ".zip", "main.ZIP"]) {
      expect((await download(`Project/archive/${name}`)).status, name).toBe(400);
    }
    for (const path of [
      "Project/archive/nope.zip",
      "Project/archive/..%2Fx.zip",
      "empty/archive/main.zip",
      "secret/archive/main.zip",
    ]) {
      expect((await download(path)).status, path).toBe(404);
    }
    expect((await download("secret/archive/main.zip", { as: bob })).status).toBe(404);
    expect((await download("secret/archive/main.zip", { as: alice })).status).toBe(200);
  });
});

describe("archives by their form", () => {
  it.each([
    ["repoDownloadZipArchive", "zipball/x/y", "Project-x-y.zip"],
    ["repoDownloadTarArchive", "tarball/v1.0", "Project-v1.0.tar.gz"],
    ["repoDownloadBundleArchive", "bundle/x%2Fy", "Project-x-y.bundle"],
  ])("%s 200: %s is %s, the same as under its name (semantics §37.2)", async (_id, path, name) => {
    const { status, headers } = await download(`Project/${path}`);
    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toContain(`"${name}"`);
    const named = await download(`Project/archive/${name.slice("Project-".length).replace("x-y", "x/y")}`);
    expect(named.headers.get("etag")).toBe(headers.get("etag"));
  });

  it("404: a ref that is not there", async () => {
    expect((await download("Project/zipball/none")).status).toBe(404);
  });
});

const ways = [
  ["repoGetArchive", "archive/main.zip"],
  ["repoDownloadZipArchive", "zipball/main"],
  ["repoDownloadTarArchive", "tarball/main"],
  ["repoDownloadBundleArchive", "bundle/main"],
] as const;

describe("refusals of archives", () => {
  it.each(ways)("416: %s, a range past the end", async (_id, path) => {
    const headers = { range: "bytes=1000000-" };
    expect((await download(`Project/${path}`, { headers })).status).toBe(416);
  });

  describe("where few bytes are kept", () => {
    let small: TestApi;
    beforeAll(async () => {
      small = await makeApi({ settings: { ARCHIVE_KEPT_BYTES: String(2 ** 20) } });
      const olga = await small.makeUser({ name: "olga" });
      await makeRepository(small, olga, "large");
      await pushFiles(small, olga, "large", { files: { noise: randomBytes(2 ** 20).toString("latin1") } });
    });
    afterAll(() => small.stop());

    it.each(ways)("413: %s, larger than all archives that are kept of a repository", async (_id, path) => {
      const { status, json } = await small.call("GET", `/repos/olga/large/${path}`);
      expect([status, json.message]).toEqual([413, expect.stringContaining("clone instead")]);
    });
  });
});
