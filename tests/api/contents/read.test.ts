import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executableMode, gitlinkMode, symlinkMode } from "#core/git/format/tree";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let bob: Caller;
const commits: Record<string, string> = {};
const submodule = "5".repeat(40);
const root = "http://127.0.0.1:3000";

beforeAll(async () => {
  api = await makeApi();
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  await makeRepository(api, alice, "r");
  commits.first = await pushFiles(api, alice, "r", {
    seconds: 1_000,
    files: {
      "README.md": "one\n",
      "a.b": "1",
      "a/deep/ä file.txt": "deep\n",
      link: { mode: symlinkMode, text: "README.md" },
      "run.sh": { mode: executableMode, text: "#!/bin/sh\n" },
      ".gitmodules": '[submodule "m"]\n\tpath = vendor/m\n\turl = https://example.com/m.git\n',
      "vendor/m": { mode: gitlinkMode, text: submodule },
      "vendor/unlisted": { mode: gitlinkMode, text: submodule },
    },
  });
  commits.second = await pushFiles(api, alice, "r", { seconds: 2_000, files: { "README.md": "r two\n" } });
  commits.branch = await pushFiles(api, alice, "r", {
    ...{ branch: "x/y", from: "main", seconds: 3_000, files: { "a/only.txt": "here\n" } },
  });
  await pushRef(api, alice, "r", { ref: "refs/tags/v1", id: commits.first });
  await makeRepository(api, alice, "empty");
  await makeRepository(api, alice, "secret", { private: true });
});
afterAll(() => api.stop());

const get = (path: string, as?: Caller) => api.call("GET", `/repos/alice/${path}`, { as });

describe("repoGetContents", () => {
  it("200: a file with its content, every key there (semantics §36.1)", async () => {
    const { status, json } = await get("r/contents/README.md");
    expect(status).toBe(200);
    const url = `${root}/api/v1/repos/alice/r/contents/README.md?ref=main`;
    const git = `${root}/api/v1/repos/alice/r/git/blobs/${json.sha}`;
    const html = `${root}/alice/r/src/branch/main/README.md`;
    expect(json).toEqual({
      name: "README.md",
      path: "README.md",
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      last_commit_sha: commits.second,
      last_commit_when: "1970-01-01T00:33:20Z",
      type: "file",
      size: 6,
      encoding: "base64",
      content: Buffer.from("r two\n").toString("base64"),
      target: null,
      url,
      html_url: html,
      git_url: git,
      download_url: `${root}/alice/r/raw/branch/main/README.md`,
      submodule_git_url: null,
      _links: { self: url, git, html },
    });
  });

  it("200: a folder in git's order, without contents; entries tell the commits that changed them", async () => {
    const { json, headers } = await get("r/contents/");
    expect(json.map((one: { name: string }) => one.name)).toEqual([
      ".gitmodules",
      "README.md",
      "a.b",
      "a",
      "link",
      "run.sh",
      "vendor",
    ]);
    expect(headers.get("x-total-count")).toBe("7");
    expect(json.map((one: { content: null }) => one.content)).toEqual(Array(7).fill(null));
    expect(json[1]).toMatchObject({ last_commit_sha: commits.second, size: 6 });
    expect(json[3]).toMatchObject({
      type: "dir",
      size: 0,
      download_url: null,
      last_commit_sha: commits.first,
    });
    expect(json[5]).toMatchObject({ type: "file" });
    expect((await get("r/contents/?limit=2&page=2")).json.map((one: { name: string }) => one.name)).toEqual([
      "a.b",
      "a",
    ]);
  });

  it("200: a symlink and submodules", async () => {
    const link = await get("r/contents/link");
    expect(link.json).toMatchObject({ type: "symlink", target: "README.md", size: 9, content: null });
    expect(link.json.download_url).toBe(`${root}/alice/r/raw/branch/main/link`);
    const { json } = await get("r/contents/vendor/m");
    expect(json).toMatchObject({
      type: "submodule",
      sha: submodule,
      size: 0,
      submodule_git_url: "https://example.com/m.git",
      html_url: null,
      git_url: null,
      download_url: null,
      _links: { git: null, html: null },
    });
    const listed = await get("r/contents/vendor");
    expect(listed.json.map((one: { submodule_git_url: string }) => one.submodule_git_url)).toEqual([
      "https://example.com/m.git",
      null,
    ]);
  });

  it.each([
    ["a branch with a slash", "x/y", "branch/x/y"],
    ["an encoded branch", "x%2Fy", "branch/x/y"],
    ["a full name", "refs/heads/x/y", "branch/x/y"],
    ["HEAD", "HEAD", "branch/main"],
    ["a tag", "v1", "tag/v1"],
  ])("200: at %s (D-RAWPATH)", async (_what, ref, place) => {
    const { status, json } = await get(`r/contents/a.b?ref=${ref}`);
    expect(status).toBe(200);
    expect(json.html_url).toBe(`${root}/alice/r/src/${place}/a.b`);
    expect(json.url).toContain(`?ref=${encodeURIComponent(decodeURIComponent(ref))}`);
  });

  it("200: at a commit, short ones written in full", async () => {
    for (const ref of [commits.first, commits.first?.slice(0, 8)]) {
      const { json } = await get(`r/contents/README.md?ref=${ref}`);
      expect(json.html_url).toBe(`${root}/alice/r/src/commit/${commits.first}/README.md`);
      expect(json.size).toBe(4);
    }
  });

  it.each(["//a//deep/./", "a/x/../deep", "/a/deep"])("200: the path %s is cleaned first", async (path) => {
    const { json } = await get(`r/contents/${encodeURIComponent(path)}`);
    expect(json.map((one: { path: string }) => one.path)).toEqual(["a/deep/ä file.txt"]);
  });

  it("200: names with spaces and beyond ASCII, encoded in links", async () => {
    const { json } = await get("r/contents/a/deep/%C3%A4%20file.txt");
    expect(json.path).toBe("a/deep/ä file.txt");
    expect(json.html_url).toBe(`${root}/alice/r/src/branch/main/a/deep/%C3%A4%20file.txt`);
  });

  it("200: ids of 64 digits in a SHA-256 repository (B-09)", async () => {
    await makeRepository(api, alice, "long", { object_format_name: "sha256" });
    const id = await pushFiles(api, alice, "long", { files: { f: "x" } });
    const { json } = await get("long/contents/f");
    expect(json.sha).toMatch(/^[0-9a-f]{64}$/);
    expect(json.last_commit_sha).toBe(id);
  });

  it("200: files above 1 MiB come without content and lead to it (D-BIGBODY)", async () => {
    await makeRepository(api, alice, "large");
    await pushFiles(api, alice, "large", { files: { f: Buffer.alloc(2 ** 20 + 1, "x") } });
    const { json } = await get("large/contents/f");
    expect(json).toMatchObject({ size: 2 ** 20 + 1, content: null, encoding: null });
    const raw = await get("large/raw/f");
    expect(raw.text.length).toBe(2 ** 20 + 1);
  });

  it.each(["none", "README.md/x", "vendor/m/x", ".git/config", "a/.GIT", "%00", "a%2f%00"])(
    "404: nothing is at %s",
    async (path) => {
      expect((await get(`r/contents/${path}`)).status).toBe(404);
    },
  );

  it.each(["none", "abc", "-x", "main..x", "%00"])(
    "a ref %s that is not there is no server error",
    async (ref) => {
      expect([404, 422]).toContain((await get(`r/contents/README.md?ref=${ref}`)).status);
    },
  );

  it("404: a hidden repository", async () => {
    expect((await get("secret/contents/README.md", bob)).status).toBe(404);
  });
});

describe("repoGetContentsList", () => {
  it("200: the root, as with an empty path", async () => {
    const { status, json } = await get("r/contents");
    expect(status).toBe(200);
    expect(json.length).toBe(7);
    expect(json[0].url).toBe(`${root}/api/v1/repos/alice/r/contents/.gitmodules?ref=main`);
  });

  it("200: an empty repository has nothing, whatever the path", async () => {
    expect((await get("empty/contents")).json).toEqual([]);
    expect((await get("empty/contents/any/path")).json).toEqual([]);
  });

  it("404: an unknown ref", async () => {
    expect((await get("r/contents?ref=none")).status).toBe(404);
  });
});

describe("repoGetContentsExt", () => {
  it("200: one of file and folder; the content where it is asked for", async () => {
    const { json } = await get("r/contents-ext/a.b");
    expect(json).toMatchObject({ dir_contents: null, file_contents: { name: "a.b", content: null } });
    const whole = await get("r/contents-ext/a.b?includes=file_content,commit_metadata");
    expect(whole.json.file_contents.content).toBe("MQ==");
    const folder = await get("r/contents-ext/%2F");
    expect(folder.json.file_contents).toBeNull();
    expect(folder.json.dir_contents.length).toBe(7);
    for (const root of [".", "", "/"]) {
      expect((await get(`r/contents-ext/${root}`)).json).toEqual(folder.json);
    }
    expect((await get("r/contents-ext")).json).toEqual(folder.json);
  });

  it("400: an unknown include", async () => {
    expect((await get("r/contents-ext/a.b?includes=all")).status).toBe(400);
  });
});

const together = (files: unknown, ref = "", as?: Caller) =>
  api.call("POST", `/repos/alice/r/file-contents${ref}`, { as, body: { files } });

describe("repoGetFileContentsPost", () => {
  it("200: in the order asked, null for folders and what is not there (semantics §36.1)", async () => {
    const { status, json } = await together(["none", "README.md", "a", "a.b", ".git/x", "/./README.md"]);
    expect(status).toBe(200);
    const one = (await get("r/contents/README.md?ref=main")).json;
    expect([json[0], json[1], json[2], json[4]]).toEqual([null, one, null, null]);
    expect([json[3].content, json[5]]).toEqual(["MQ==", one]);
  });

  it("200: nothing asked, nothing answered; 404: an unknown ref, an empty repository; 422: no list, or too long a one", async () => {
    expect((await together([])).json).toEqual([]);
    const ofEmpty = await api.call("POST", "/repos/alice/empty/file-contents", { body: { files: ["a"] } });
    expect(ofEmpty.status).toBe(404);
    expect((await together(["a"], "?ref=none")).status).toBe(404);
    for (const files of [undefined, "README.md", [""], Array(101).fill("a")]) {
      expect((await together(files)).status).toBe(422);
    }
  });

  it("200: contents end at 4 MiB together; the rest comes without", async () => {
    const text = (at: number) => `${at}${"x".repeat(2 ** 20 - 1)}`;
    await makeRepository(api, alice, "many-long");
    const names = [0, 1, 2, 3, 4].map((at) => `f${at}`);
    await pushFiles(api, alice, "many-long", {
      files: Object.fromEntries(names.map((name, at) => [name, text(at)])),
    });
    const { json } = await api.call("POST", "/repos/alice/many-long/file-contents", {
      body: { files: [...names, "f0"] },
    });
    const shown = json.map(({ content }: { content: string | null }) => (content ?? "").length > 0);
    expect(shown).toEqual([true, true, true, true, false, false]);
  });
});

describe("repoGetFileContents", () => {
  it("200: the same of a body in the query; 400: of a broken one", async () => {
    const ask = (body: string) => get(`r/file-contents?body=${encodeURIComponent(body)}`);
    expect((await ask('{"files": ["a.b"]}')).json).toEqual((await together(["a.b"])).json);
    for (const body of ["{", "[]", '{"files": [1]}', ""])
      expect([body, (await ask(body)).status]).toEqual([body, 400]);
  });
});

describe("repoGetRawFile", () => {
  it("200: the bytes with what says what they are (semantics §37.1)", async () => {
    const { status, text, headers } = await get("r/raw/README.md?ref=main");
    expect(status).toBe(200);
    expect(text).toBe("r two\n");
    const { json } = await get("r/contents/README.md");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "6",
      etag: `"${json.sha}"`,
      "last-modified": "Thu, 01 Jan 1970 00:33:20 GMT",
      "x-gitea-object-type": "file",
      "x-forgejo-object-type": "file",
      "x-content-type-options": "nosniff",
      "content-disposition": `inline; filename="README.md"; filename*=UTF-8''README.md`,
      "accept-ranges": "bytes",
    });
    expect(headers.get("cache-control")).toContain("max-age");
  });

  it.each([
    ["a branch with a slash", () => "x/y/a/only.txt", "here\n"],
    ["an encoded branch", () => "x%2Fy/a/only.txt", "here\n"],
    ["a branch in the query", () => "a/only.txt?ref=x/y", "here\n"],
    ["HEAD", () => "HEAD/README.md", "r two\n"],
    ["a tag", () => "v1/README.md", "one\n"],
    ["a whole id", () => `${commits.first}/README.md`, "one\n"],
    ["a short id in the query", () => `README.md?ref=${commits.first?.slice(0, 7)}`, "one\n"],
    ["the default branch", () => "README.md", "r two\n"],
  ])("200: the path begins with %s (D-PATHS, D-RAWPATH)", async (_what, path, text) => {
    const answer = await get(`r/raw/${path()}`);
    expect([answer.status, answer.text]).toEqual([200, text]);
  });

  it("200: HEAD tells the same without the bytes", async () => {
    const { status, text, headers } = await api.call("HEAD", "/repos/alice/r/raw/README.md");
    expect([status, text, headers.get("content-length")]).toEqual([200, "", "6"]);
  });

  it("206 and 416: one range; several count as none (repoGetRawFile, repoGetRawFileOrLFS)", async () => {
    const ranged = (range: string) => api.call("GET", "/repos/alice/r/raw/README.md", { headers: { range } });
    const middle = await ranged("bytes=2-3");
    expect([middle.status, middle.text, middle.headers.get("content-range")]).toEqual([
      206,
      "tw",
      "bytes 2-3/6",
    ]);
    expect((await ranged("bytes=4-")).text).toBe("o\n");
    expect((await ranged("bytes=-2")).text).toBe("o\n");
    expect((await ranged("bytes=0-1,3-4")).status).toBe(200);
    expect((await ranged("bytes=5-2")).status).toBe(200);
    const past = await ranged("bytes=6-");
    expect([past.status, past.headers.get("content-range")]).toEqual([416, "bytes */6"]);
    const media = await api.call("GET", "/repos/alice/r/media/README.md", { headers: { range: "bytes=6-" } });
    expect(media.status).toBe(416);
  });

  it("304: by ETag, and by date where no ETag is named", async () => {
    const { headers } = await get("r/raw/README.md");
    const etag = headers.get("etag") ?? "";
    const asked = (given: Record<string, string>) =>
      api.call("GET", "/repos/alice/r/raw/README.md", { headers: given }).then(({ status }) => status);
    const modified = headers.get("last-modified") ?? "";
    expect(await asked({ "if-none-match": etag })).toBe(304);
    expect(await asked({ "if-none-match": `W/${etag}, "x"` })).toBe(304);
    expect(await asked({ "if-none-match": '"x"', "if-modified-since": modified })).toBe(200);
    expect(await asked({ "if-modified-since": modified })).toBe(304);
    expect(await asked({ "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })).toBe(200);
  });

  it("200: nothing that a browser would run: HTML is text, SVG is shut in", async () => {
    await makeRepository(api, alice, "kinds");
    await pushFiles(api, alice, "kinds", {
      files: {
        "page.html": "<html><script>alert(1)</script></html>",
        "a.svg": '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>',
        "a.png": Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"),
        "a.bin": Buffer.from([1, 0, 2]),
        latin: Buffer.from([0x61, 0xe4, 0x61]),
        'a"b;ü.txt': "x",
      },
    });
    const headersOf = async (path: string) => (await get(`kinds/raw/${path}`)).headers;
    expect((await headersOf("page.html")).get("content-type")).toBe("text/plain; charset=utf-8");
    const svg = await headersOf("a.svg");
    expect(svg.get("content-type")).toBe("image/svg+xml");
    expect(svg.get("content-security-policy")).toContain("sandbox");
    expect((await headersOf("a.png")).get("content-type")).toBe("image/png");
    expect((await headersOf("a.bin")).get("content-type")).toBe("application/octet-stream");
    expect((await headersOf("latin")).get("content-type")).toBe("text/plain; charset=iso-8859-1");
    expect((await headersOf("a%22b%3B%C3%BC.txt")).get("content-disposition")).toBe(
      `inline; filename="a_b;_.txt"; filename*=UTF-8''a%22b%3B%C3%BC.txt`,
    );
  });

  it("200: a symlink's text", async () => {
    const { text, headers } = await get("r/raw/link");
    expect([text, headers.get("x-gitea-object-type")]).toEqual(["README.md", "symlink"]);
  });

  it.each([
    "r/raw/a",
    "r/raw/vendor/m",
    "r/raw/none",
    "r/raw/README.md?ref=none",
    "empty/raw/x",
    "secret/raw/x",
  ])("404: %s is no file", async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it("404: in the family's words, with what is missing beside them (semantics §1.4)", async () => {
    expect((await get("r/raw/none")).json).toMatchObject({
      message: "The target couldn't be found.",
      errors: ["there is no such file [path: none]"],
    });
  });
});

describe("repoGetRawFileOrLFS", () => {
  it("200: a file that is no pointer, as it is", async () => {
    const { status, text } = await get("r/media/x/y/a/only.txt");
    expect([status, text]).toEqual([200, "here\n"]);
  });

  it("404: what is not there", async () => {
    expect((await get("r/media/none")).status).toBe(404);
  });
});
