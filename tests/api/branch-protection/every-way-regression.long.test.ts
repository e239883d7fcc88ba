import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { pushToRepository } from "#core/repository/push";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles, pushRef } from "#tests/support/code";
import { makeSshSigner } from "#tests/support/git/ssh-signer";
import { makeCommit } from "../../core/repository/commits.ts";

/** Rules that forbid, each by one field; `open` forbids nothing that is done here. */
const rules = {
  closed: {},
  listed: { enable_push: true, enable_push_whitelist: true, push_whitelist_usernames: ["alice"] },
  signed: { enable_push: true, require_signed_commits: true },
  files: { enable_push: true, protected_file_patterns: "docs/**" },
  open: { enable_push: true },
};
type Rule = keyof typeof rules;
const refusing = ["closed", "listed", "signed", "files"] as const;

/** Ways to get a commit onto an existing branch; each takes one that is not signed and changes `docs/a.md`. */
const moves = {
  "a push with a pack": (branch) => push({ branch, files: { "docs/a.md": "new" } }),
  "a push of what is there already": (branch) => pushKnown(branch, side, base),
  "PUT of the branch": (branch) => call("PUT", `branches/${branch}`, { new_commit_id: side }),
  "creating a file": (branch) => call("POST", "contents/docs/b.md", { branch, content: "" }),
  "updating a file": (branch) =>
    call("PUT", "contents/docs/a.md", { branch, content: "bmV3", sha: blob, message: "m" }),
  "deleting a file": (branch) => call("DELETE", "contents/docs/a.md", { branch, sha: blob }),
  "changing several files": (branch) =>
    call("POST", "contents", { branch, files: [{ operation: "create", path: "docs/c.md", content: "" }] }),
  "applying a patch": (branch) => call("POST", "diffpatch", { branch, content: patch, sha: blob }),
  "syncing the fork": (branch) => call("POST", `sync_fork/${branch}`),
  "merging upstream": (branch) => call("POST", "merge-upstream", { branch }),
} satisfies Record<string, (branch: string) => Promise<number | string>>;

/** How a branch comes to be; each begins at the unguarded `side`. */
const births = {
  "a push of what is there": (branch) => pushKnown(branch, side),
  "POST of a branch": (branch) => call("POST", "branches", { new_branch_name: branch, old_ref_name: "side" }),
  "renaming a branch": async (branch) => {
    const from = `former/${branch}`;
    await pushKnown(from, side);
    return call("PATCH", `branches/${from}`, { name: branch });
  },
  "a file on a new branch": (branch) =>
    call("POST", "contents/docs/b.md", { branch: "side", new_branch: branch, content: "" }),
  "a patch on a new branch": (branch) =>
    call("POST", "diffpatch", { branch: "main", new_branch: branch, content: patch, sha: blob }),
} satisfies Record<string, (branch: string) => Promise<number | string>>;

const patch = "diff --git a/docs/a.md b/docs/a.md\n--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1 @@\n-1\n+2\n";
const blob = "d00491fd7e5bb6fa28c517a0bb32b8b506539d4d";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let base = "";
let side = "";
const nameOf = (rule: Rule, way: string) => `${rule}/${way.replaceAll(" ", "-")}`;

const call = async (method: string, path: string, body?: object): Promise<number> =>
  (await api.call(method, `/repos/bob/down/${path}`, { as: bob, ...defined({ body }) })).status;
const outcome = (pushing: Promise<unknown>): Promise<number | string> =>
  pushing.then(
    () => 200,
    (error: Error) => error.message,
  );
const push = (given: Parameters<typeof pushFiles>[3]) => outcome(pushFiles(api, bob, "down", given));
const pushKnown = (branch: string, id: string, old?: string) =>
  outcome(pushRef(api, bob, "down", { ref: `refs/heads/${branch}`, id, ...defined({ old }) }));

/** Moves refs of a repository at once. */
async function moveAll(as: Caller, name: string, branches: readonly string[], id: string, old?: string) {
  const { json } = await api.call("GET", `/repos/${as.name}/${name}`, { as });
  const changes = branches.map((branch) => ({ name: `refs/heads/${branch}`, new: id, ...defined({ old }) }));
  const place = { id: json.id, ownerId: json.owner.id };
  await pushToRepository(api.forge, place, { user: as.user }, { changes });
}

const everyBranch = (Object.keys(rules) as Rule[]).flatMap((rule) =>
  Object.keys(moves).map((way) => nameOf(rule, way)),
);

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await makeRepository(api, alice, "up");
  base = await pushFiles(api, alice, "up", { files: { f: "1", "docs/a.md": "1\n" } });
  await moveAll(alice, "up", everyBranch, base);
  await api.call("POST", "/repos/alice/up/forks", { as: bob, body: { name: "down" } });
  const ahead = await pushFiles(api, alice, "up", { branch: "x", from: "main", files: { "docs/a.md": "2" } });
  const followed = everyBranch.filter((name) => name.endsWith("upstream") || name.endsWith("fork"));
  await moveAll(alice, "up", followed, ahead, base);
  side = await pushFiles(api, bob, "down", { branch: "side", from: "main", files: { "docs/a.md": "3\n" } });
  await call("PUT", "collaborators/alice", { permission: "write" });
  for (const [rule, fields] of Object.entries(rules)) {
    expect(await call("POST", "branch_protections", { rule_name: `${rule}/**`, ...fields })).toBe(201);
  }
});
afterAll(() => api.stop());

const isLanded = (answer: number | string) => typeof answer === "number" && answer < 300;

describe("a protected branch", () => {
  it.each(Object.entries(moves))(
    "is guarded against %s by every field, and else moved (semantics §29)",
    async (way, move) => {
      const answers: (number | string)[] = [];
      for (const rule of refusing) answers.push(await move(nameOf(rule, way)));
      for (const answer of answers) {
        expect(typeof answer === "number" ? answer : answer.includes("protected by the rule") && 403).toBe(
          403,
        );
      }
      expect(isLanded(await move(nameOf("open", way)))).toBe(true);
    },
  );

  it("is guarded against deletion, a forced move and a forced PUT by any rule", async () => {
    const name = nameOf("open", "PUT of the branch");
    expect(await call("DELETE", `branches/${name}`)).toBe(403);
    expect(await call("PUT", `branches/${name}`, { new_commit_id: base, force: true })).toBe(403);
    const { json } = await api.call("GET", `/repos/bob/down/branches/${name}`, { as: bob });
    expect(await pushKnown(name, base, json.commit.id)).toContain("no forced pushes");
    const gone = pushRef(api, bob, "down", { ref: `refs/heads/${name}`, old: json.commit.id });
    expect(await outcome(gone)).toContain("can't be deleted");
  });
});

describe("a new branch of a guarded name", () => {
  it.each(Object.entries(births))(
    "is guarded against %s that brings what its rule did not let in",
    async (way, make) => {
      for (const rule of ["closed", "listed", "signed"] as const) {
        const answer = await make(nameOf(rule, `new ${way}`));
        expect(typeof answer === "number" ? answer : answer.includes("protected by the rule") && 403).toBe(
          403,
        );
      }
      expect(isLanded(await make(nameOf("open", `new ${way}`)))).toBe(true);
    },
  );

  it("keeps protected files as they are where it begins, on whichever branch that is", async () => {
    expect(await call("POST", "branches", { new_branch_name: "files/n1", old_ref_name: "main" })).toBe(201);
    expect(await call("POST", "branches", { new_branch_name: "files/n2", old_ref_name: "side" })).toBe(201);
    const change = { branch: "main", content: "" };
    expect(await call("POST", "contents/other", { ...change, new_branch: "files/n3" })).toBe(201);
    expect(await call("POST", "contents/docs/b", { ...change, new_branch: "files/n4" })).toBe(403);
    expect(await push({ branch: "files/n5", from: "main", files: { g: "1" } })).toBe(200);
    expect(await push({ branch: "files/n6", from: "main", files: { "docs/a.md": "9" } })).toContain(
      "docs/a.md",
    );
  });

  it("may be made of what the rule let in, and of unprotected files by users who may push only those", async () => {
    const open = { unprotected_file_patterns: "docs/**" };
    await call("POST", "branch_protections", { rule_name: "papers/**", ...open });
    expect(await call("POST", "branches", { new_branch_name: "papers/n1", old_ref_name: "main" })).toBe(201);
    expect(await call("POST", "branches", { new_branch_name: "papers/n2", old_ref_name: "side" })).toBe(201);
    expect(await push({ branch: "papers/n3", from: "main", files: { "docs/z.md": "1" } })).toBe(200);
    expect(await push({ branch: "papers/n4", from: "main", files: { f: "2" } })).toContain("may not push");
    expect(await push({ branch: "hidden-hand", from: "main", files: { f: "2" } })).toBe(200);
    const through = { new_branch_name: "papers/n5", old_ref_name: "hidden-hand" };
    expect(await call("POST", "branches", through)).toBe(403);
  });
});

describe("require_signed_commits", () => {
  it("lets in commits that are signed, whoever brought them and when, and none with an unsigned one behind", async () => {
    const key = makeSshSigner();
    await api.call("POST", "/user/keys", { as: bob, body: { title: "k", key: key.line } });
    const author = { name: "Bob", email: bob.user.email };
    const sign = (payload: Buffer) => key.signs(payload);
    const good = makeCommit({ parents: [base], author, sign, seconds: 1_700_000_001 });
    await pushRef(api, bob, "down", { ref: "refs/heads/good", id: good.id, pack: good.pack });
    const mixed = makeCommit({ parents: [side], author, sign, seconds: 1_700_000_001 });
    await pushRef(api, bob, "down", { ref: "refs/heads/mixed", id: mixed.id, pack: mixed.pack });
    const branch = nameOf("signed", "PUT of the branch");
    expect(await call("PUT", `branches/${branch}`, { new_commit_id: mixed.id })).toBe(403);
    expect(await call("PUT", `branches/${branch}`, { new_commit_id: good.id })).toBe(204);
    expect(await call("POST", "branches", { new_branch_name: "signed/n1", old_ref_name: "good" })).toBe(201);
    expect(await call("POST", "branches", { new_branch_name: "signed/n2", old_ref_name: "mixed" })).toBe(403);
    expect(await call("POST", "branches", { new_branch_name: "signed/n3", old_ref_name: "main" })).toBe(201);
  });
});
