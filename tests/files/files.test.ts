import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken } from "#core/token/token";
import { createApi } from "#functions/api/app";
import { createFilesApp } from "#functions/files/app";
import { besideGit } from "#functions/files/beside-git";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";

let api: TestApi;
let site: Hono;
let alice: Caller;
let bob: Caller;
let first: string;
const root = "http://127.0.0.1:3000";

beforeAll(async () => {
  api = await makeApi();
  const { forge } = api;
  site = besideGit(createGitApp({ forge, resolve: createGitResolver(forge) }), forge);
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  await makeRepository(api, alice, "tale");
  first = await pushFiles(api, alice, "tale", {
    files: {
      "docs/a.md": "one\n",
      "page.html": "<script>alert(1)</script>\n",
      "a b#c?.txt": "odd\n",
      empty: "",
    },
  });
  await pushFiles(api, alice, "tale", { branch: "x/y", from: "main", files: { "docs/a.md": "two\n" } });
  await pushRef(api, alice, "tale", { ref: "refs/tags/v/1", id: first });
  await makeRepository(api, alice, "secret", { private: true });
  await pushFiles(api, alice, "secret", { files: { "a.txt": "hidden\n" } });
});
afterAll(() => api.stop());

/** Asks beside the API, as the address stands in an answer. */
async function ask(path: string, options: { as?: Caller; headers?: Record<string, string> } = {}) {
  const headers = { ...options.headers, ...(options.as && { authorization: `token ${options.as.token}` }) };
  const url = path.startsWith(root) ? path.slice(root.length) : path;
  const response = await site.request(url, { headers }, { clientAddress: "192.0.2.1" });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("files beside the API", () => {
  it.each([
    ["docs/a.md", "main", "one\n"],
    ["docs/a.md", "x/y", "two\n"],
    ["docs/a.md", "v/1", "one\n"],
    ["a b#c?.txt", "main", "odd\n"],
  ])("200: download_url of %s at %s leads to its bytes (semantics §37.1)", async (path, ref, text) => {
    const query = `?ref=${encodeURIComponent(ref)}`;
    const found = await api.call("GET", `/repos/alice/tale/contents/${encodeURIComponent(path)}${query}`);
    const answer = await ask(found.json.download_url);
    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers.get("etag")).toBe(`"${found.json.sha}"`);
  });

  it("429 with Retry-After, in the API's form, for more than a network may send (D-RATE)", async () => {
    const address = "192.0.2.3";
    const front = besideGit(new Hono(), {
      ...api.forge,
      config: { ...api.forge.config, rateLight: 2, rateHeavy: 1 },
    });
    const fetch = async (path: string) => {
      const answer = await front.request(path, {}, { clientAddress: address });
      return [answer.status, answer.headers.get("retry-after"), await answer.text()];
    };
    const refused = (seconds: string) => [
      429,
      seconds,
      expect.stringContaining('{"message":"too many requests'),
    ];
    expect(await fetch("/alice/tale/archive/main.zip")).toEqual([200, null, expect.anything()]);
    expect(await fetch("/alice/tale/archive/main.zip")).toEqual(refused("60"));
    expect(await fetch(`/alice/tale/commit/${first}.diff`)).toEqual(refused("60"));
    for (let times = 0; times < 2; times += 1) {
      expect(await fetch("/alice/tale/raw/branch/main/docs/a.md")).toEqual([200, null, expect.anything()]);
    }
    expect(await fetch("/alice/tale/raw/branch/main/docs/a.md")).toEqual(refused("30"));
  });

  it("an empty file has no body at all: a stream without a byte is a failure on Lambda", async () => {
    const response = await site.request(
      "/alice/tale/raw/branch/main/empty",
      {},
      { clientAddress: "192.0.2.1" },
    );
    expect([response.status, response.headers.get("content-length"), response.body]).toEqual([
      200,
      "0",
      null,
    ]);
  });

  it("200: browser_download_url of a release's asset leads to its bytes, none of an empty one (semantics §44.2)", async () => {
    const as = alice;
    const release = { tag_name: "v/1" };
    const { json } = await api.call("POST", "/repos/alice/tale/releases", { as, body: release });
    for (const [name, raw] of [
      ["a.txt", "words"],
      ["empty", ""],
    ] as const) {
      const headers = { "content-type": "application/octet-stream" };
      await api.call("POST", `/repos/alice/tale/releases/${json.id}/assets?name=${name}`, {
        as,
        raw,
        headers,
      });
    }
    const { assets } = (await api.call("GET", `/repos/alice/tale/releases/${json.id}`)).json;
    const links = assets.map((one: { browser_download_url: string }) => one.browser_download_url);
    expect(links[0]).toBe(`${root}/alice/tale/releases/download/v/1/a.txt`);
    expect(await ask(links[0])).toMatchObject({ status: 200, text: "words" });
    const response = await site.request(links[1].slice(root.length), {}, { clientAddress: "192.0.2.1" });
    expect([response.status, response.body]).toEqual([200, null]);
  });

  it("200: a whole id as a commit, a path without the word, and encoded slashes alike (D-RAWPATH)", async () => {
    expect((await ask(`/alice/tale/raw/commit/${first}/docs/a.md`)).text).toBe("one\n");
    expect((await ask("/alice/tale/raw/x/y/docs/a.md")).text).toBe("two\n");
    expect((await ask("/alice/tale/raw/branch/x%2Fy%2Fdocs%2Fa.md")).text).toBe("two\n");
    expect((await ask("/alice/tale/media/branch/main/docs/a.md")).text).toBe("one\n");
  });

  it("200: a blob by its id; 404: what is no blob, also where a branch is called so", async () => {
    const { sha } = (await api.call("GET", "/repos/alice/tale/contents/docs/a.md")).json;
    for (const word of ["raw", "media"]) {
      const { status, text, headers } = await ask(`/alice/tale/${word}/blob/${sha}`);
      expect([status, text, headers.get("etag")]).toEqual([200, "one\n", `"${sha}"`]);
    }
    for (const id of [first, "0".repeat(40), sha.slice(0, 8)]) {
      expect([id, (await ask(`/alice/tale/raw/blob/${id}`)).status]).toEqual([id, 404]);
    }
    expect((await ask(`/alice/secret/raw/blob/${sha}`)).status).toBe(404);
  });

  it("200: a commit's html_url with .diff or .patch behind it is what the API gives", async () => {
    const { html_url } = (await api.call("GET", `/repos/alice/tale/git/commits/${first}`)).json;
    for (const type of ["diff", "patch"]) {
      const { text } = await api.call("GET", `/repos/alice/tale/git/commits/${first}.${type}`);
      expect(await ask(`${html_url}.${type}`)).toMatchObject({ status: 200, text });
    }
    expect((await ask(`/alice/tale/commit/${"0".repeat(40)}.diff`)).status).toBe(404);
    expect((await ask("/alice/secret/commit/main.patch")).status).toBe(404);
    expect((await ask("/alice/secret/commit/main.patch", { as: alice })).text).toContain("+hidden\n");
  });

  it("200: a pull request's diff_url and patch_url give what the API gives; 404 for callers who may not read it", async () => {
    for (const [name, isPrivate] of [
      ["asked", false],
      ["asked-too", true],
    ] as const) {
      await makeRepository(api, alice, name, { private: isPrivate });
      await pushFiles(api, alice, name, { files: { "a.txt": "one\n" } });
      await pushFiles(api, alice, name, { branch: "topic", from: "main", files: { "a.txt": "two\n" } });
      const body = { title: "T", head: "topic", base: "main" };
      const { json } = await api.call("POST", `/repos/alice/${name}/pulls`, { as: alice, body });
      for (const type of ["diff", "patch"] as const) {
        const { text } = await api.call("GET", `/repos/alice/${name}/pulls/1.${type}`, { as: alice });
        expect(text).toContain("+two\n");
        expect(await ask(json[`${type}_url`], { as: alice })).toMatchObject({ status: 200, text });
        expect((await ask(json[`${type}_url`], { as: bob })).status).toBe(isPrivate ? 404 : 200);
        expect((await ask(json[`${type}_url`])).status).toBe(isPrivate ? 404 : 200);
      }
    }
    for (const path of ["2.diff", "x.patch"]) {
      expect([path, (await ask(`/alice/asked/pulls/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it("200: HTML comes as plain text that no browser looks into", async () => {
    const { headers } = await ask("/alice/tale/raw/branch/main/page.html");
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("206 and 304: ranges and known contents as in the API", async () => {
    const path = "/alice/tale/raw/branch/main/docs/a.md";
    expect(await ask(path, { headers: { range: "bytes=1-2" } })).toMatchObject({ status: 206, text: "ne" });
    const etag = (await ask(path)).headers.get("etag") ?? "";
    expect((await ask(path, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await ask(path, { headers: { range: "bytes=99-" } })).status).toBe(416);
  });

  it("200: zipball_url and tarball_url of a tag lead to its archives (semantics §37.2)", async () => {
    const { json } = await api.call("GET", "/repos/alice/tale/tags/v%2F1");
    const [zip, tar] = [await ask(json.zipball_url), await ask(json.tarball_url)];
    expect(zip.headers.get("content-type")).toBe("application/zip");
    expect(tar.headers.get("content-type")).toBe("application/gzip");
    expect(zip.headers.get("content-disposition")).toContain("tale-v-1.zip");
  });

  it.each([
    "/alice/tale/raw/branch/none/docs/a.md",
    "/alice/tale/raw/tag/main/docs/a.md",
    "/alice/tale/raw/commit/main/docs/a.md",
    `/alice/tale/raw/commit/${"0".repeat(40)}/docs/a.md`,
    "/alice/tale/raw/branch/main/docs",
    "/alice/tale/raw/branch/main/../../etc/passwd",
    "/alice/tale/raw/branch/main/docs/a.md%00",
    "/alice/tale/raw/branch",
    "/alice/tale/archive/none.zip",
    "/alice/none/raw/branch/main/a.txt",
  ])("404: %s", async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it("400: malformed percent-encoding, and an archive of no known form", async () => {
    expect((await ask("/alice/tale/raw/branch/main/%ff")).status).toBe(400);
    expect((await ask("/alice/tale/archive/main.rar")).status).toBe(400);
  });

  it("404 for callers who may not see a repository; token and password let in those who may", async () => {
    const path = "/alice/secret/raw/branch/main/a.txt";
    expect((await ask(path)).status).toBe(404);
    expect((await ask(path, { as: bob })).status).toBe(404);
    expect((await ask(path, { as: alice })).text).toBe("hidden\n");
    expect((await ask(path, { headers: basic("alice", alice.password) })).text).toBe("hidden\n");
    const narrow = await api.makeToken(alice, ["read:issue"]);
    expect((await ask(path, { headers: { authorization: `token ${narrow}` } })).status).toBe(403);
  });

  it("307: a former name leads on", async () => {
    await makeRepository(api, alice, "before");
    await pushFiles(api, alice, "before", { files: { "a.txt": "a\n" } });
    await api.call("PATCH", "/repos/alice/before", { as: alice, body: { name: "after" } });
    const { status, headers } = await ask("/alice/before/raw/branch/main/a.txt");
    expect([status, headers.get("location")]).toEqual([307, `${root}/alice/after/raw/branch%2Fmain%2Fa.txt`]);
  });

  it("leaves git what is git's", async () => {
    const { headers } = await ask("/alice/tale.git/info/refs?service=git-upload-pack");
    expect(headers.get("content-type")).toBe("application/x-git-upload-pack-advertisement");
  });
});

describe("an answer that is larger than the gateway takes (D-BIGBODY)", () => {
  const file = "/api/v1/repos/alice/secret/raw/a.txt";
  let small: Hono;
  beforeAll(() => {
    small = createApi({ forge: api.forge, mostAnswerBytes: 5 });
  });
  const askSmall = (path: string, as?: Caller) =>
    small.request(path, as && { headers: { authorization: `token ${as.token}` } }, { clientAddress: "x" });
  const linkOf = async (path: string, as?: Caller) =>
    (await askSmall(path, as)).headers.get("location") ?? "";

  it("302 leads to the same bytes without credentials, in ranges too; texts alike", async () => {
    const answer = await askSmall(file, alice);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([302, "no-store"]);
    const link = answer.headers.get("location") ?? "";
    expect(link).toMatch(new RegExp(`^${root}/-/answers/[^/]+$`));
    expect((await ask(link)).text).toBe("hidden\n");
    expect(await ask(link, { headers: { range: "bytes=0-2" } })).toMatchObject({ status: 206, text: "hid" });
    const diff = `/api/v1/repos/alice/tale/git/commits/${first}.diff`;
    expect((await ask(await linkOf(diff))).text).toContain("+one");
  });

  it("200 and 206: what fits comes at once", async () => {
    expect((await askSmall("/api/v1/repos/alice/tale/raw/docs/a.md")).status).toBe(200);
    const headers = { authorization: `token ${alice.token}`, range: "bytes=0-2" };
    expect((await small.request(file, { headers }, { clientAddress: "x" })).status).toBe(206);
  });

  it("429: a link counts for the account that it was made for (D-RATE)", async () => {
    const link = await linkOf(file, alice);
    const config = { ...api.forge.config, rateLight: 1 };
    const files = createFilesApp({ ...api.forge, config });
    const follow = async (path: string, clientAddress: string) =>
      (await files.request(path.slice(root.length), {}, { clientAddress })).status;
    expect([await follow(link, "192.0.2.4"), await follow(link, "192.0.2.5")]).toEqual([200, 429]);
  });

  it("404 after five minutes, and for links that were made up", async () => {
    const link = await linkOf(file, alice);
    expect((await ask(link.replace(/.{6}$/, "AAAAAA"))).status).toBe(404);
    expect((await ask("/-/answers/made.up.link")).status).toBe(404);
    api.clock.advance(5 * 60_000 + 1);
    expect((await ask(link)).status).toBe(404);
  });

  it("404 once the caller may not see it any more: revoked token, lost access", async () => {
    const { token, text } = await createToken(api.forge, bob.user, { name: "short", scopes: ["all"] });
    const collaborator = "/repos/alice/secret/collaborators/bob";
    await api.call("PUT", collaborator, { as: alice, body: { permission: "read" } });
    const link = await linkOf(file, { ...bob, token: text });
    expect((await ask(link)).text).toBe("hidden\n");
    await api.call("DELETE", collaborator, { as: alice });
    expect((await ask(link)).status).toBe(404);
    await api.call("PUT", collaborator, { as: alice, body: { permission: "read" } });
    expect((await ask(link)).status).toBe(200);
    await api.call("DELETE", `/users/bob/tokens/${token.id}`, { headers: basic("bob", bob.password) });
    expect((await ask(link)).status).toBe(404);
  });
});
