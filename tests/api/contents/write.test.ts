import { describe, expect, it } from "vitest";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";
import { alice, api, base64, bob, call, makeFilled, raw, still, useFiles } from "./write-world.ts";

useFiles();

const shaOf = async (repo: string, path: string): Promise<string> =>
  (await call("GET", `${repo}/contents/${path}`)).json.sha;
const commitCount = async (repo: string): Promise<number> =>
  Number((await api.forge.table.queryAll({ pk: `R#${repo}#G`, prefix: "L#" })).length);

const headOf = async (name: string): Promise<string> =>
  (await call("GET", `${name}/branches/main`)).json.commit.id;

describe("repoCreateFile", () => {
  it("201: the file, the commit, what is known of its signature (semantics §36.5, §36.6-1)", async () => {
    const { name } = await makeFilled();
    const body = { content: base64("text\n") };
    const { status, json } = await call("POST", `${name}/contents/new/a.txt`, body);
    expect(status).toBe(201);
    expect(json.content).toMatchObject({
      type: "file",
      path: "new/a.txt",
      content: body.content,
      last_commit_sha: json.commit.sha,
      html_url: `http://127.0.0.1:3000/alice/${name}/src/branch/main/new/a.txt`,
    });
    expect(json.commit).toMatchObject({
      message: "Add new/a.txt\n",
      created: "0001-01-01T00:00:00Z",
      author: { name: "Alice L", email: "alice@example.com" },
      committer: { name: "Alice L", email: "alice@example.com" },
      parents: [{ sha: expect.stringMatching(/^[0-9a-f]{40}$/), created: "0001-01-01T00:00:00Z" }],
    });
    expect(json.commit.tree.sha).not.toBe(json.commit.sha);
    expect(json.verification).toMatchObject({ verified: false, reason: "gpg.error.not_signed_commit" });
    expect(await raw(`${name}/raw/new/a.txt`)).toBe("text\n");
    expect((await call("GET", `${name}/contents/new/a.txt`)).json).toEqual(json.content);
    const again = await call("POST", `${name}/contents/new/a.txt`, body);
    expect([again.status, again.json.message]).toEqual([
      422,
      "repository file already exists [path: new/a.txt]",
    ]);
  });

  it("201: message, author, dates with their zone, and sign-off as asked (semantics §36.4)", async () => {
    const { name } = await makeFilled();
    const { json } = await call("POST", `${name}/contents/x`, {
      content: "",
      message: "  Subject\n\nBody  ",
      author: { name: "Ann", email: "ann@example.com" },
      dates: { author: "2020-02-03T04:05:06+01:30", committer: "0001-01-01T00:00:00Z" },
      signoff: true,
    });
    expect(json.commit).toMatchObject({
      message: "Subject\n\nBody\n\nSigned-off-by: Ann <ann@example.com>\n",
      author: { name: "Ann", email: "ann@example.com", date: "2020-02-03T02:35:06Z" },
      committer: { name: "Ann", email: "ann@example.com" },
    });
    const now = Math.floor(api.clock.now() / 1000) * 1000;
    expect(Date.parse(json.commit.committer.date)).toBe(now);
    expect(json.content.size).toBe(0);
  });

  it("201: on a new branch; the others stay as they are (semantics §36.6-3)", async () => {
    const { name } = await makeFilled();
    const { status } = await call("POST", `${name}/contents/n`, { content: "", new_branch: "feature/x" });
    expect(status).toBe(201);
    expect((await call("GET", `${name}/contents/n?ref=feature/x`)).status).toBe(200);
    expect((await call("GET", `${name}/contents/n`)).status).toBe(404);
    const again = await call("POST", `${name}/contents/m`, { content: "", new_branch: "feature/x" });
    expect(again.status).toBe(422);
    const below = await call("POST", `${name}/contents/m`, { content: "", new_branch: "feature/x/y" });
    expect(below.status).toBe(422);
    expect((await call("POST", `${name}/contents/m`, { content: "", branch: "none" })).status).toBe(404);
  });

  it("201: the content is told of a file as another one has it already (semantics §36.5)", async () => {
    const { name } = await makeFilled();
    const body = { content: base64("one\n") };
    const { json } = await call("POST", `${name}/contents/copy`, body);
    expect(json.content).toMatchObject({ sha: await shaOf(name, "README.md"), encoding: "base64", ...body });
  });

  it("201: the first commit of an empty repository, whose branch becomes the default (semantics §36.6-7)", async () => {
    await makeRepository(api, alice, "bare");
    const put = await call("PUT", "bare/contents/f", { content: "", sha: "0".repeat(40) });
    expect(put.status).toBe(422);
    const { status, json } = await call("POST", "bare/contents/f", { content: "", branch: "trunk" });
    expect([status, json.commit.parents]).toEqual([201, []]);
    expect((await call("GET", "bare")).json).toMatchObject({ default_branch: "trunk", empty: false });
  });

  it.each([
    ["README.md", "a file"],
    ["d", "a folder"],
    ["link", "a link"],
    ["README.md/x", "a file above it"],
    ["link/x", "a link above it"],
    [".git/config", "no path of git's"],
    ["a/.GIT/x", "no path of git's in any case"],
    ["a%2F..", "the root"],
    ["git~1", "what NTFS reads as .git"],
    [`${"x".repeat(4_097)}`, "a path that is too long"],
  ])("422: %s is %s", async (path) => {
    expect((await call("POST", `${still}/contents/${path}`, { content: "" })).status).toBe(422);
  });

  it.each([
    ["bad base64", { content: "a" }],
    ["base64 of another alphabet", { content: "_-__" }],
    ["no content", {}],
    ["a branch that git does not allow", { content: "", branch: "a..b" }],
    ["a new branch that is too long", { content: "", new_branch: "x".repeat(101) }],
    ["a date that is none", { content: "", dates: { author: "yesterday" } }],
    ["a date that git can't hold", { content: "", dates: { committer: "1970-01-01T00:00:00+01:00" } }],
  ])("422 before 403: %s (D-ORDER-OF-CHECKS)", async (_what, body) => {
    expect((await call("POST", `${still}/contents/n`, body, bob)).status).toBe(422);
    expect((await call("POST", `${still}/contents/n`, body)).status).toBe(422);
  });

  it("401, 403, 404, 423: anonymous, a reader, a stranger, an archive (semantics §36.6-6)", async () => {
    const { name } = await makeFilled();
    const body = { content: "" };
    const path = `/repos/alice/${name}/contents/n`;
    expect((await api.call("POST", path, { body })).status).toBe(401);
    expect((await call("POST", `${name}/contents/n`, body, bob)).status).toBe(403);
    await call("PATCH", name, { archived: true });
    expect((await call("POST", `${name}/contents/n`, body)).status).toBe(423);
    const secret = await makeFilled({ private: true });
    expect((await call("POST", `${secret.name}/contents/n`, body, bob)).status).toBe(404);
  });

  it("422: a .gitmodules that would endanger clients", async () => {
    const { name } = await makeFilled();
    const content = base64('[submodule "x"]\n\tpath = x\n\turl = -u./payload\n');
    expect((await call("POST", `${name}/contents/.gitmodules`, { content })).status).toBe(422);
  });

  it("is a push: the log tells who, and one event leaves the outbox", async () => {
    const { name, id } = await makeFilled();
    const before = await commitCount(String(id));
    await call("POST", `${name}/contents/n`, { content: "" });
    expect(await commitCount(String(id))).toBe(before + 1);
  });
});

describe("repoUpdateFile", () => {
  it("200: new content under the right sha; 422 under another (semantics §36.6-2)", async () => {
    const { name } = await makeFilled();
    const sha = await shaOf(name, "README.md");
    const wrong = await call("PUT", `${name}/contents/README.md`, { content: "", sha: "1".repeat(40) });
    expect(wrong.status).toBe(422);
    const { status, json } = await call("PUT", `${name}/contents/README.md`, {
      content: base64("two\n"),
      sha,
    });
    expect([status, json.commit.message]).toEqual([200, "Update README.md\n"]);
    const branch = await call("GET", `${name}/branches/main`);
    expect(branch.json.commit.id).toBe(json.commit.sha);
    expect(await raw(`${name}/raw/README.md`)).toBe("two\n");
  });

  it("200: moves with from_path, in one commit", async () => {
    const { name } = await makeFilled();
    const sha = await shaOf(name, "run.sh");
    const body = { content: base64("#!/bin/sh\nexit\n"), sha, from_path: "run.sh" };
    const { status } = await call("PUT", `${name}/contents/bin/run`, body);
    expect(status).toBe(200);
    expect(await raw(`${name}/raw/run.sh`)).toBe(404);
    const taken = { content: "", sha: await shaOf(name, "d/f"), from_path: "d/f" };
    expect((await call("PUT", `${name}/contents/README.md`, taken)).status).toBe(422);
  });

  it("201: without sha the file is created; 422 when it exists (semantics §36.2)", async () => {
    const { name } = await makeFilled();
    expect((await call("PUT", `${name}/contents/new`, { content: "" })).status).toBe(201);
    expect((await call("PUT", `${name}/contents/new`, { content: "" })).status).toBe(422);
  });

  it("404: no such file; 422: folders and links", async () => {
    const name = still;
    const sha = "1".repeat(40);
    expect((await call("PUT", `${name}/contents/none`, { content: "", sha })).status).toBe(404);
    expect((await call("PUT", `${name}/contents/d`, { content: "", sha })).status).toBe(422);
    const link = await shaOf(name, "link");
    expect((await call("PUT", `${name}/contents/link`, { content: "", sha: link })).status).toBe(422);
  });

  it("race: of two updates of one file one wins, and the other is told (409 or 422)", async () => {
    const { name } = await makeFilled();
    const sha = await shaOf(name, "README.md");
    const update = (text: string) =>
      call("PUT", `${name}/contents/README.md`, { content: base64(text), sha });
    const answers = await Promise.all(["a", "b", "c"].map(update));
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBe(1);
    for (const { status } of answers) expect([200, 409, 422]).toContain(status);
    expect(await raw(`${name}/raw/README.md`)).toBe(
      Buffer.from(won[0]?.json.content.content, "base64").toString(),
    );
  });
});

describe("repoDeleteFile", () => {
  it("200: content null; folders that it leaves empty go too (semantics §36.6-4)", async () => {
    const { name } = await makeFilled();
    const sha = await shaOf(name, "d/f");
    const wrong = await call("DELETE", `${name}/contents/d/f`, { sha: "1".repeat(40) });
    expect(wrong.status).toBe(400);
    const { status, json } = await call("DELETE", `${name}/contents/d/f`, { sha });
    expect([status, json.content, json.commit.message]).toEqual([200, null, "Delete d/f\n"]);
    expect((await call("GET", `${name}/contents/d`)).status).toBe(404);
    expect((await call("DELETE", `${name}/contents/d/f`, { sha })).status).toBe(404);
  });

  it("400, 422: a new branch that exists, a path of git's; no sha", async () => {
    const { name } = await makeFilled();
    const sha = await shaOf(name, "d/f");
    await pushRef(api, alice, name, { ref: "refs/heads/other", id: await headOf(name) });
    expect((await call("DELETE", `${name}/contents/d/f`, { sha, new_branch: "other" })).status).toBe(400);
    expect((await call("DELETE", `${name}/contents/.git/f`, { sha })).status).toBe(400);
    expect((await call("DELETE", `${name}/contents/d/f`, {})).status).toBe(422);
  });
});

describe("repoChangeFiles", () => {
  it("201: one commit of several operations, the files in their order (semantics §36.6-5)", async () => {
    const { name } = await makeFilled();
    const before = await headOf(name);
    const files = [
      { operation: "create", path: "c", content: base64("c") },
      { operation: "update", path: "README.md", content: base64("u"), sha: await shaOf(name, "README.md") },
      { operation: "delete", path: "d/f" },
    ];
    const { status, json } = await call("POST", `${name}/contents`, { files });
    expect(status).toBe(201);
    expect(json.files.map((one: { path: string } | null) => one?.path)).toEqual([
      "c",
      "README.md",
      undefined,
    ]);
    expect(json.commit.message).toBe("Add c\nUpdate README.md\nDelete d/f\n");
    expect(json.commit.parents.map((one: { sha: string }) => one.sha)).toEqual([before]);
  });

  it("201: a file takes the place of a file's folder when the request empties it", async () => {
    const { name } = await makeFilled();
    const files = [
      { operation: "delete", path: "README.md" },
      { operation: "create", path: "README.md/inside", content: base64("x") },
    ];
    expect((await call("POST", `${name}/contents`, { files })).status).toBe(201);
    expect(await raw(`${name}/raw/README.md/inside`)).toBe("x");
  });

  it("201: a file takes the place of a folder that the request empties; 422 while something is left of it", async () => {
    const { name } = await makeFilled();
    await pushFiles(api, alice, name, { files: { "deep/a/b": "1", "deep/c": "2" } });
    const [take, put] = [
      (path: string) => ({ operation: "delete", path }),
      { operation: "create", path: "deep", content: base64("x") },
    ];
    const half = { files: [take("deep/c"), put] };
    expect((await call("POST", `${name}/contents`, half)).status).toBe(422);
    const whole = { files: [take("deep/c"), take("deep/a/b"), put] };
    expect((await call("POST", `${name}/contents`, whole)).status).toBe(201);
    expect(await raw(`${name}/raw/deep`)).toBe("x");
  });

  it.each([
    ["a wrong sha", [{ operation: "update", path: "README.md", content: "", sha: "1".repeat(40) }], 422],
    ["an unknown operation", [{ operation: "move", path: "README.md" }], 422],
    ["no files", [], 422],
    ["a path named twice", [{ operation: "create", path: "n" }], 422],
    ["a file below a new file", [{ operation: "create", path: "c/below" }], 422],
    ["an update of nothing", [{ operation: "update", path: "none", content: "" }], 404],
  ])("%s: nothing is committed", async (_what, more, expected) => {
    const before = await headOf(still);
    const first = [
      { operation: "create", path: "n", content: "" },
      { operation: "create", path: "c", content: "" },
    ];
    const files = more.length === 0 ? [] : [...first, ...more];
    expect((await call("POST", `${still}/contents`, { files })).status).toBe(expected);
    expect(await headOf(still)).toBe(before);
  });
});
