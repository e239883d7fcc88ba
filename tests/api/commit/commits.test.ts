import { describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import type { Caller } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";
import { alice, api, bob, get, ids, merge, side, useCommits } from "./commits-world.ts";

useCommits();

const shas = (rows: { sha: string }[]) => rows.map(({ sha }) => sha);
const newest = () => [...ids].reverse();

describe("repoGetAllCommits", () => {
  it("200: newest first, whole (semantics §32, §38)", async () => {
    const { status, json } = await get("r/commits", alice);
    expect(status).toBe(200);
    expect(shas(json)).toEqual(newest());
    const [sha, parent] = newest();
    const url = `http://127.0.0.1:3000/api/v1/repos/alice/r/git`;
    const who = { name: "A. U. Thor", email: "bob@example.com", date: "1970-01-01T01:46:44+01:30" };
    expect(json[0]).toEqual({
      url: `${url}/commits/${sha}`,
      sha,
      created: "1970-01-01T00:16:44Z",
      html_url: `http://127.0.0.1:3000/alice/r/commit/${sha}`,
      commit: {
        url: `${url}/commits/${sha}`,
        author: who,
        committer: who,
        message: "words\n",
        tree: {
          url: expect.stringContaining(`${url}/trees/`),
          sha: expect.stringMatching(/^[0-9a-f]{40}$/),
          created: "1970-01-01T00:16:44Z",
        },
        verification: {
          verified: false,
          reason: "gpg.error.not_signed_commit",
          signature: "",
          signer: null,
          payload: "",
        },
      },
      author: expect.objectContaining({ login: "bob" }),
      committer: expect.objectContaining({ login: "bob" }),
      parents: [{ url: `${url}/commits/${parent}`, sha: parent, created: "0001-01-01T00:00:00Z" }],
      files: [
        { filename: "d/f", status: "modified" },
        { filename: "even", status: "modified" },
      ],
      stats: { total: 4, additions: 2, deletions: 2 },
    });
    expect(json[0].commit.tree.sha).not.toBe(sha);
  });

  it("200: pages with all headers, old and new (semantics §39.3-1)", async () => {
    const { json, headers } = await get("r/commits?limit=2&page=2");
    expect(shas(json)).toEqual(newest().slice(2, 4));
    const named = ["x-total-count", "x-total", "x-perpage", "x-page", "x-pagecount", "x-hasmore"];
    expect(named.map((name) => headers.get(name))).toEqual(["5", "5", "2", "2", "3", "true"]);
    const exposed = headers.get("access-control-expose-headers") ?? "";
    for (const name of ["X-Total-Count", "Link", "X-HasMore"]) expect(exposed).toContain(name);
    for (const rel of ["next", "last", "first", "prev"])
      expect(headers.get("link")).toContain(`rel="${rel}"`);
    const last = await get("r/commits?limit=2&page=3");
    expect([last.json.length, last.headers.get("x-hasmore")]).toEqual([1, "false"]);
    expect((await get("r/commits?page=99")).json).toEqual([]);
  });

  it.each([
    ["a branch", "sha=x/y", () => [side, ...newest()]],
    ["a tag", "sha=v1", () => [ids[0]]],
    ["what another ref lacks", "sha=x/y&not=main", () => [side]],
    ["a path, and the limit holds", "path=even&limit=2", () => [ids[4], ids[2]]],
    ["a folder", "path=/d/&limit=1", () => [ids[4]]],
    ["dates", "since=1970-01-01T00:16:41Z&until=1970-01-01T00:16:42Z", () => [ids[2], ids[1]]],
    ["a short id", () => `sha=${ids[1]?.slice(0, 10)}`, () => [ids[1], ids[0]]],
  ])("200: those of %s (semantics §39.3)", async (_what, query, promised) => {
    const { status, json } = await get(`r/commits?${typeof query === "string" ? query : query()}`);
    expect(status).toBe(200);
    expect(shas(json)).toEqual(promised());
  });

  it("200: stat, files and verification may be left out: null (semantics §39.3-4)", async () => {
    const { json } = await get("r/commits?stat=false&files=0&verification=f&limit=1");
    expect(json[0]).toMatchObject({ stats: null, files: null, commit: { verification: null } });
    const { json: kept } = await get("r/commits?stat=&files=1&limit=1");
    expect(kept[0]).toMatchObject({ stats: { total: 4 }, files: [{}, {}] });
  });

  it("409: an empty repository; 404: unknown refs and paths without commits", async () => {
    expect((await get("empty/commits")).status).toBe(409);
    for (const query of ["sha=none", "path=none", "sha=none&path=even", "not=none"]) {
      expect((await get(`r/commits?${query}`)).status).toBe(404);
    }
  });
});

describe("repoGetSingleCommit", () => {
  it("200: by id, short id, branch and HEAD; a merge against its first parent", async () => {
    for (const sha of [ids[4] as string, ids[4]?.slice(0, 12), "main", "HEAD"]) {
      expect((await get(`r/git/commits/${sha}`)).json.sha).toBe(ids[4]);
    }
    const { json } = await get(`r/git/commits/${merge}`);
    expect(shas(json.parents)).toEqual([ids[4], side]);
    expect(json.files).toEqual([
      { filename: "new file", status: "added" },
      { filename: "odd", status: "removed" },
    ]);
    expect(json.stats).toEqual({ total: 3, additions: 1, deletions: 2 });
  });

  it("200: the first commit against nothing", async () => {
    const { json } = await get(`r/git/commits/${ids[0]}`);
    expect(json).toMatchObject({ parents: [], stats: { additions: 3, deletions: 0 } });
    expect(json.files.map((one: { status: string }) => one.status)).toEqual(["added", "added"]);
  });

  it("200: in a SHA-256 repository (B-09)", async () => {
    await makeRepository(api, alice, "long", { object_format_name: "sha256" });
    const id = await pushFiles(api, alice, "long", { files: { f: "x" } });
    expect((await get(`long/git/commits/${id}`)).json.commit.tree.sha).toMatch(/^[0-9a-f]{64}$/);
  });

  it("404: unknown; 422: what can be no ref", async () => {
    expect((await get(`r/git/commits/${"1".repeat(40)}`)).status).toBe(404);
    expect((await get("r/git/commits/none")).status).toBe(404);
    expect((await get("r/git/commits/a..b")).status).toBe(422);
    expect((await get("empty/git/commits/main")).status).toBe(404);
  });
});

describe("repoDownloadCommitDiffOrPatch", () => {
  it("200: a diff against the first parent, a patch as a mail", async () => {
    const diff = await get(`r/git/commits/${side}.diff`);
    expect(diff.status).toBe(200);
    expect(diff.headers.get("content-type")).toContain("text/plain");
    expect(diff.text).toMatch(/^diff --git a\/new file b\/new file\nnew file mode 100644\n/);
    expect(diff.text).toContain("+ä\n");
    const patch = await get("r/git/commits/main.patch");
    expect(patch.text).toMatch(/^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\n/);
    expect(patch.text).toContain("Subject: [PATCH] words");
  });

  it("404: unknown commits", async () => {
    expect((await get("r/git/commits/none.diff")).status).toBe(404);
  });
});

describe("repoCompareDiff", () => {
  it.each(["main...x/y", "main..x/y", "x/y", "main...alice:x/y", "main...x%2Fy", `HEAD...x/y`])(
    "200: %s tells what head has and base lacks (semantics §39.2)",
    async (range) => {
      const { status, json } = await get(`r/compare/${range}`);
      expect(status).toBe(200);
      expect([json.total_commits, shas(json.commits)]).toEqual([1, [side]]);
      expect(json.files).toEqual([
        { filename: "new file", status: "added" },
        { filename: "odd", status: "removed" },
      ]);
    },
  );

  it.each(["compare", "compare/", "compare/...", "compare/main..."])(
    "200: %s compares the default branch with itself (semantics §39.2)",
    async (path) => {
      const { status, json } = await get(`r/${path}`);
      expect([status, json.total_commits]).toEqual([200, 0]);
    },
  );

  it("200: nothing where base has it all", async () => {
    expect((await get("r/compare/x/y...main")).json).toEqual({ total_commits: 0, commits: [], files: [] });
  });

  it.each(["none...main", "main...none", "main...bob:main", "main...a:b:c", "main...:main"])(
    "404: %s",
    async (range) => {
      expect((await get(`r/compare/${range}`)).status).toBe(404);
    },
  );

  it("404: who may read the code, not the pull requests (semantics §39.2)", async () => {
    await makeRepository(api, alice, "no-pulls");
    await pushFiles(api, alice, "no-pulls", { files: { f: "1" } });
    const compared = async () => (await get("no-pulls/compare/main...main", alice)).status;
    expect(await compared()).toBe(200);
    await api.call("PATCH", "/repos/alice/no-pulls", { as: alice, body: { has_pull_requests: false } });
    expect(await compared()).toBe(404);
  });

  it("200: with a fork's ref and with the parent's, read where they lie (semantics §39.3-5)", async () => {
    const forked = await api.call("POST", "/repos/alice/r/forks", { as: bob, body: { name: "copy" } });
    expect(forked.status).toBe(202);
    const ahead = await pushFiles(api, bob, "copy", { branch: "x/y", files: { f: "fork\n" } });
    for (const head of ["bob:x/y", "bob/copy:x/y", "BOB:x%2Fy", `bob:${ahead}`]) {
      const { json } = await get(`r/compare/main...${head}`);
      expect([head, json.total_commits, shas(json.commits)]).toEqual([head, 2, [ahead, side]]);
    }
    expect((await get(`r/compare/main...${ahead}`)).status).toBe(404);
    expect((await get("r/compare/main...bob/other:x/y")).status).toBe(404);
    const fromFork = await api.call("GET", "/repos/bob/copy/compare/x/y...alice:merged");
    expect(shas(fromFork.json.commits)).toEqual([merge]);
    await api.call("PATCH", "/repos/alice/r", { as: alice, body: { private: true } });
    // The fork goes with it.
    expect((await get("r/compare/main...bob:x/y", alice)).status).toBe(404);
    expect((await api.call("GET", "/repos/bob/copy/compare/x/y...alice:merged", { as: bob })).status).toBe(
      404,
    );
    await api.call("PATCH", "/repos/alice/r", { as: alice, body: { private: false } });
  });

  it("200: ids in index lines are as short as git's own, and whole where a binary file is written out", async () => {
    await makeRepository(api, alice, "ids");
    const id = await pushFiles(api, alice, "ids", { files: { f: "But is it?\n", z: "\0" } });
    const diff = (await get(`ids/git/commits/${id}.diff`)).text;
    expect(diff).toContain("new file mode 100644\nindex 0000000..f27a20a\n--- /dev/null\n+++ b/f\n");
    expect(diff).toContain("index 0000000..f76dd23\nBinary files /dev/null and b/z differ\n");
    const patch = (await get(`ids/git/commits/${id}.patch`)).text;
    expect(patch).toContain("index 0000000..f27a20a\n");
    expect(patch).toMatch(/index 0{40}\.\.f76dd23[0-9a-f]{33}\nGIT binary patch\n/);
  });

  it("200: as a diff since head left base, or as mails, oldest first; as JSON for another output", async () => {
    const diff = await get("r/compare/main...x/y?output=diff");
    expect(diff.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(diff.text).toContain("diff --git a/new file b/new file");
    expect(diff.text).toContain("deleted file mode 100644");
    const patch = (await get(`r/compare/${ids[0]}...${ids[2]}?output=patch`)).text;
    expect(patch.match(/^From [0-9a-f]{40}/gm)).toEqual([`From ${ids[1]}`, `From ${ids[2]}`]);
    const other = await get("r/compare/main...x/y?output=all");
    expect(other.json).toEqual((await get("r/compare/main...x/y")).json);
  });
});

describe("notes on commits", () => {
  const note = (method: string, sha: string, body?: object, as: Caller = alice) =>
    api.call(method, `/repos/alice/r/git/notes/${sha}`, { as, ...defined({ body }) });

  it.each(["repoSetNote", "repoGetNote", "repoRemoveNote"])(
    "%s: written, replaced, read, removed (semantics §38-5)",
    async () => {
      expect((await note("GET", ids[1] as string)).status).toBe(404);
      const set = await note("POST", ids[1] as string, { message: "first\n" });
      expect([set.status, set.json.message, set.json.commit.sha]).toEqual([200, "first\n", ids[1]]);
      expect((await note("POST", ids[1]?.slice(0, 9) as string, { message: "second" })).status).toBe(200);
      const read = await note("GET", ids[1] as string);
      expect([read.status, read.json.message]).toEqual([200, "second"]);
      expect((await note("DELETE", ids[1] as string)).status).toBe(204);
      expect((await note("GET", ids[1] as string)).status).toBe(404);
      expect((await note("DELETE", ids[1] as string)).status).toBe(404);
    },
  );

  it("200: one that git put into folders is found", async () => {
    const sha = ids[2] as string;
    await makeRepository(api, alice, "noted");
    const commit = await pushFiles(api, alice, "noted", { files: { f: "x" } });
    const path = `${commit.slice(0, 2)}/${commit.slice(2, 4)}/${commit.slice(4)}`;
    const notes = await pushFiles(api, alice, "noted", { branch: "n", files: { [path]: "deep\n" } });
    await pushRef(api, alice, "noted", { ref: "refs/notes/commits", id: notes });
    const { json } = await get(`noted/git/notes/${commit}`);
    expect(json.message).toBe("deep\n");
    expect((await get(`noted/git/notes/${sha}`)).status).toBe(404);
  });

  it("403: a reader; 404: an unknown commit; 422: no ref is called that (repoGetNote, repoRemoveNote)", async () => {
    expect((await note("POST", ids[1] as string, { message: "x" }, bob)).status).toBe(403);
    expect((await note("POST", "1".repeat(40), { message: "x" })).status).toBe(404);
    for (const method of ["GET", "DELETE"]) expect((await note(method, "a..b")).status).toBe(422);
  });
});
