import { describe, expect, it } from "vitest";
import { apply, bob, call, makeRepo, second, usePatches } from "./diffpatch-world.ts";

usePatches();

describe("repoApplyDiffPatch", () => {
  it("201: a commit of the patch, without a content in the answer (semantics §36.2, §36.4)", async () => {
    const name = await makeRepo();
    const { status, json } = await apply(name, second, { sha: "unused" });
    expect(status).toBe(201);
    expect(json.content).toBeNull();
    expect(json.commit).toMatchObject({ message: "apply-patch\n", author: { name: "alice" } });
    expect((await call("GET", `${name}/raw/f`)).text).toBe("one\n2\nthree\n");
    expect((await call("GET", `${name}/branches/main`)).json.commit.id).toBe(json.commit.sha);
  });

  it("201: on a new branch, with message and author; the mails of two commits, one after the other", async () => {
    const name = await makeRepo();
    const more = "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n one\n 2\n three\n+four\n";
    const { status, json } = await apply(name, `Subject: 1\n\n${second}-- \n2.40\n\nSubject: 2\n\n${more}`, {
      ...{ new_branch: "x/y", message: " words ", author: { name: "Eve", email: "eve@example.com" } },
    });
    expect([status, json.commit.message, json.commit.author.name]).toEqual([201, "words\n", "Eve"]);
    expect((await call("GET", `${name}/raw/f?ref=x/y`)).text).toBe("one\n2\nthree\nfour\n");
    expect((await call("GET", `${name}/raw/f?ref=main`)).text).toBe("one\ntwo\nthree\n");
  });

  it("201: two files change places, one is copied, one becomes executable", async () => {
    const name = await makeRepo({ a: "A\n", b: "B\n", c: "C\n" });
    const rename = (from: string, to: string, kind = "rename") =>
      `diff --git a/${from} b/${to}\nsimilarity index 100%\n${kind} from ${from}\n${kind} to ${to}\n`;
    const mode = "diff --git a/c b/c\nold mode 100644\nnew mode 100755\n";
    const patch = rename("a", "b") + rename("b", "a") + rename("c", "d/e", "copy") + mode;
    expect((await apply(name, patch)).status).toBe(201);
    const tree = (await call("GET", `${name}/git/trees/main?recursive=1`)).json.tree;
    expect(tree.map((one: { mode: string; path: string }) => `${one.mode} ${one.path}`)).toEqual([
      ...["100644 a", "100644 b", "100755 c", "040000 d", "100644 d/e"],
    ]);
    expect((await call("GET", `${name}/raw/a`)).text).toBe("B\n");
  });

  it.each([
    ["no patch", "words\n"],
    ["lines that are not there", second.replace("-two", "-zwei")],
    ["a file that is not there", second.replaceAll("/f", "/none")],
    ["a new file that is there", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n"],
    ["a deletion that leaves a line", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"],
    ["a path out of the repository", "--- /dev/null\n+++ b/../../x\n@@ -0,0 +1 @@\n+x\n"],
    ["a path of git's", "--- /dev/null\n+++ b/.GIT/config\n@@ -0,0 +1 @@\n+x\n"],
    ["an absolute path", "--- /dev/null\n+++ b//etc/x\n@@ -0,0 +1 @@\n+x\n"],
    ["a name that is no text", '--- /dev/null\n+++ "b/\\377"\n@@ -0,0 +1 @@\n+x\n'],
    ["a file below a file", "--- /dev/null\n+++ b/f/x\n@@ -0,0 +1 @@\n+x\n"],
    [
      "a .gitmodules that endangers clients",
      '--- /dev/null\n+++ b/.gitmodules\n@@ -0,0 +1,3 @@\n+[submodule "../x"]\n+path = x\n+url = y\n',
    ],
    [
      "a submodule",
      "diff --git a/m b/m\nnew file mode 160000\nindex 0..1\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+Subproject commit 1\n",
    ],
  ])("422: %s; nothing is committed", async (_what, patch) => {
    const name = await makeRepo();
    const before = (await call("GET", `${name}/branches/main`)).json.commit.id;
    expect((await apply(name, patch)).status).toBe(422);
    expect((await call("GET", `${name}/branches/main`)).json.commit.id).toBe(before);
  });

  it("422: none, or one of more than 4 MiB; 404: an unknown branch; 403: a reader; 423: an archive", async () => {
    const name = await makeRepo();
    expect((await apply(name, "")).status).toBe(422);
    expect((await apply(name, "x".repeat(4 * 2 ** 20 + 1))).status).toBe(422);
    expect((await apply(name, second, { branch: "none" })).status).toBe(404);
    expect((await apply(name, second, {}, bob)).status).toBe(403);
    await call("PATCH", name, { archived: true });
    expect((await apply(name, second)).status).toBe(423);
  });

  it("403: a protected branch, and protected files on an open one (semantics §36.2-9)", async () => {
    const name = await makeRepo();
    const rule = { rule_name: "main" };
    await call("POST", `${name}/branch_protections`, rule);
    expect((await apply(name, second)).status).toBe(403);
    const changes = { enable_push: true, protected_file_patterns: "f" };
    await call("PATCH", `${name}/branch_protections/main`, changes);
    expect((await apply(name, second)).status).toBe(403);
    const rename = "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n";
    expect((await apply(name, rename)).status).toBe(403);
    await call("PATCH", `${name}/branch_protections/main`, { protected_file_patterns: "" });
    expect((await apply(name, second)).status).toBe(201);
  });
});
