import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCode } from "#core/code/open";
import { executableMode, gitlinkMode, symlinkMode } from "#core/git/format/tree";
import { packOfNew } from "#core/git/merge/new-objects";
import { writeTag } from "#core/git/merge/write-commit";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let head = "";
let tag = "";
const root = "http://127.0.0.1:3000/api/v1/repos/alice/r/git";

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  const id = await makeRepository(api, alice, "r");
  head = await pushFiles(api, alice, "r", {
    files: {
      "d/f": "f\n",
      "run.sh": { mode: executableMode, text: "x" },
      link: { mode: symlinkMode, text: "d" },
      m: { mode: gitlinkMode, text: "5".repeat(40) },
    },
  });
  await pushFiles(api, alice, "r", { branch: "x/y", from: "main", files: { g: "g" } });
  await pushRef(api, alice, "r", { ref: "refs/tags/light", id: head });
  const { history } = await openCode(api.forge, id);
  tag = await writeTag(history, {
    ...{ name: "v1", object: head, type: "commit", message: "Version 1\n" },
    tagger: { name: "T. Agger", email: "t@example.com", seconds: 3_600, timezone: "-0200" },
  });
  await pushRef(api, alice, "r", { ref: "refs/tags/v1", id: tag, pack: await packOfNew(history, [tag]) });
  await pushRef(api, alice, "r", { ref: "refs/internal/x", id: head }).catch(() => undefined);
  await makeRepository(api, alice, "empty");
});
afterAll(() => api.stop());

const get = (path: string) => api.call("GET", `/repos/alice/${path}`);

describe("GetTree", () => {
  it("200: entries with modes of six digits, kinds and sizes (semantics §38-1)", async () => {
    const { status, json, headers } = await get("r/git/trees/main");
    expect(status).toBe(200);
    const rows = json.tree.map(({ path, mode, type, size }: Record<string, unknown>) => [
      path,
      mode,
      type,
      size,
    ]);
    expect(rows).toEqual([
      ["d", "040000", "tree", 0],
      ["link", "120000", "blob", 1],
      ["m", "160000", "commit", 0],
      ["run.sh", "100755", "blob", 1],
    ]);
    expect(json.tree.map(({ url }: { url: string }) => url)).toEqual([
      `${root}/trees/${json.tree[0].sha}`,
      `${root}/blobs/${json.tree[1].sha}`,
      "",
      `${root}/blobs/${json.tree[3].sha}`,
    ]);
    expect(json).toMatchObject({
      truncated: false,
      page: 1,
      total_count: 4,
      url: `${root}/trees/${json.sha}`,
    });
    expect(headers.get("x-total-count")).toBe("4");
  });

  it("200: recursive, folders and what is in them; by page with per_page or limit (D-TREES, semantics §38-2)", async () => {
    const paths = async (query: string) =>
      (await get(`r/git/trees/${head}?${query}`)).json.tree.map(({ path }: { path: string }) => path);
    expect(await paths("recursive=true")).toEqual(["d", "d/f", "link", "m", "run.sh"]);
    expect(await paths("recursive=1&per_page=2&page=2")).toEqual(["link", "m"]);
    expect(await paths("recursive=1&limit=1&page=2")).toEqual(["d/f"]);
    const { json } = await get(`r/git/trees/${head}?per_page=1&page=2`);
    expect(json).toMatchObject({ truncated: true, total_count: 4, page: 2 });
    expect(await paths("page=9")).toEqual([]);
    expect(await paths("page=-1&per_page=x")).toHaveLength(4);
  });

  it("200: a branch with a slash, a tag, a tree's own id (D-RAWPATH)", async () => {
    const { sha } = (await get("r/git/trees/v1")).json;
    for (const name of ["light", sha, head, tag])
      expect((await get(`r/git/trees/${name}`)).json.sha).toBe(sha);
    for (const name of ["x/y", "x%2Fy"]) expect((await get(`r/git/trees/${name}`)).json.total_count).toBe(5);
  });

  it("200: a folder of any of these, as editors of sites ask for it; 404: no such folder; 400: no such tree", async () => {
    const folder = (await get("r/git/trees/main")).json.tree[0].sha;
    for (const name of ["main:d", "main:d%2F", `${head}:/d`, "x/y:d", "x%2Fy:d"]) {
      const { json } = await get(`r/git/trees/${name}?recursive=1`);
      expect([name, json.sha, json.tree[0].path]).toEqual([name, folder, "f"]);
    }
    expect((await get("r/git/trees/main:")).json.total_count).toBe(4);
    for (const name of ["main:none", "main:run.sh", "main:d/f", "main:link"]) {
      expect([name, (await get(`r/git/trees/${name}`)).status]).toEqual([name, 404]);
    }
    for (const name of [":d", "none:d", "main:d:f"]) {
      expect([name, (await get(`r/git/trees/${name}`)).status]).toEqual([
        name,
        name === "main:d:f" ? 404 : 400,
      ]);
    }
  });

  it.each(["0".repeat(40), "none", "x"])("400: %s is no tree", async (sha) => {
    expect((await get(`r/git/trees/${sha}`)).status).toBe(400);
    expect((await get(`empty/git/trees/${sha}`)).status).toBe(400);
  });
});

describe("GetBlob", () => {
  it("200: the content in base64", async () => {
    const { sha } = (await get("r/contents/d/f")).json;
    const { status, json } = await get(`r/git/blobs/${sha}`);
    expect(status).toBe(200);
    expect(json).toEqual({ content: "Zgo=", encoding: "base64", url: `${root}/blobs/${sha}`, sha, size: 2 });
  });

  it("400: a tree, a short id, what is not there", async () => {
    const { sha } = (await get("r/git/trees/main")).json;
    for (const id of [sha, "1".repeat(40), "main", "12345"]) {
      expect((await get(`r/git/blobs/${id}`)).status).toBe(400);
    }
  });
});

describe("getBlobs", () => {
  it("200: in the order asked; 400: one of them is not there, or none is named", async () => {
    const one = (await get("r/contents/d/f")).json.sha;
    const other = (await get("r/contents/run.sh")).json.sha;
    const { json } = await get(`r/git/blobs?shas=${other},${one}`);
    expect(json.map(({ sha }: { sha: string }) => sha)).toEqual([other, one]);
    expect((await get(`r/git/blobs?shas=${one},${"1".repeat(40)}`)).status).toBe(400);
    expect((await get("r/git/blobs")).status).toBe(400);
  });
});

describe("repoListAllGitRefs", () => {
  it("200: all refs by name, none that the service keeps for itself", async () => {
    const { json } = await get("r/git/refs");
    expect(json.map(({ ref }: { ref: string }) => ref)).toEqual([
      "refs/heads/main",
      "refs/heads/x/y",
      "refs/tags/light",
      "refs/tags/v1",
    ]);
    expect(json[3]).toEqual({
      ref: "refs/tags/v1",
      url: `${root}/refs/tags/v1`,
      object: { type: "tag", sha: tag, url: `${root}/tags/${tag}` },
    });
    expect(json[0].object).toEqual({ type: "commit", sha: head, url: `${root}/commits/${head}` });
  });

  it("404: a repository without refs", async () => {
    expect((await get("empty/git/refs")).status).toBe(404);
  });
});

describe("repoListGitRefs", () => {
  it("200: always an array; 404: none begins like this (semantics §38-3)", async () => {
    const refs = async (prefix: string) => {
      const { status, json } = await get(`r/git/refs/${prefix}`);
      return status === 200 ? json.map(({ ref }: { ref: string }) => ref) : status;
    };
    expect(await refs("heads/main")).toEqual(["refs/heads/main"]);
    expect(await refs("heads/x%2Fy")).toEqual(["refs/heads/x/y"]);
    expect(await refs("tags")).toEqual(["refs/tags/light", "refs/tags/v1"]);
    expect(await refs("heads/nope")).toBe(404);
    expect(await refs("internal")).toBe(404);
  });
});

describe("GetAnnotatedTag", () => {
  it("200: the tag's object; its date in its own zone", async () => {
    const { status, json } = await get(`r/git/tags/${tag}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      tag: "v1",
      sha: tag,
      url: `${root}/tags/${tag}`,
      message: "Version 1\n",
      tagger: { name: "T. Agger", email: "t@example.com", date: "1969-12-31T23:00:00-02:00" },
      object: { type: "commit", sha: head, url: `${root}/commits/${head}` },
      verification: { verified: false },
    });
  });

  it("400: a commit, and what is not there (semantics §40-4)", async () => {
    for (const sha of [head, "1".repeat(40), "v1"]) expect((await get(`r/git/tags/${sha}`)).status).toBe(400);
  });
});

describe("lists of refs whose names are no UTF-8", () => {
  it("200: links hold the bytes of the name", async () => {
    await makeRepository(api, alice, "bytes");
    const id = await pushFiles(api, alice, "bytes", { files: { f: "f" } });
    for (const ref of ["refs/tags/a/\udcff#\u00e9", "refs/heads/\udcfe"])
      await pushRef(api, alice, "bytes", { ref, id });
    const urls = async (path: string, link: string) => {
      const { status, json } = await get(path);
      return status === 200 ? json.map((row: Record<string, string>) => row[link]) : status;
    };
    const refs = `${root.replace("/r/", "/bytes/")}/refs`;
    const inLink = [`${refs}/heads/%FE`, `${refs}/tags/a/%FF%23%C3%A9`];
    expect(await urls("bytes/git/refs", "url")).toEqual([`${refs}/heads/main`, ...inLink]);
    expect(await urls("bytes/git/refs/tags", "url")).toEqual([inLink[1]]);
    const [tarball] = await urls("bytes/tags", "tarball_url");
    expect(tarball).toBe("http://127.0.0.1:3000/alice/bytes/archive/a/%FF%23%C3%A9.tar.gz");
    expect(await urls("bytes/branches", "name")).toEqual(["main", "\udcfe"]);
  });
});
