import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let base: string;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  base = await makeRepository("base");
});
afterAll(() => api.stop());

/** A repository of alice's with a README on `main`; its path. */
async function makeRepository(name: string, more: object = {}): Promise<string> {
  await api.call("POST", "/user/repos", { as: alice, body: { name, auto_init: true, ...more } });
  return `/repos/alice/${name}`;
}

/** Writes a file on a new branch, or on one that is there. */
async function commitOn(
  repository: string,
  branch: string,
  path: string,
  { content = `${path}\n`, as = alice, from = "main" }: { content?: string; as?: Caller; from?: string } = {},
): Promise<string> {
  const known = await api.call("GET", `${repository}/branches/${branch}`, { as });
  const where = known.status === 200 ? { branch } : { branch: from, new_branch: branch };
  const body = { content: Buffer.from(content).toString("base64"), message: `Write ${path}`, ...where };
  const { json } = await api.call("POST", `${repository}/contents/${path}`, { as, body });
  return json.commit.sha;
}

const open = (repository: string, body: object, as = alice) =>
  api.call("POST", `${repository}/pulls`, { as, body });

describe("repoCreatePullRequest", () => {
  it("201 in one repository: the branches, the merge base, what changes; and the issue of the same number (RES-PullRequest)", async () => {
    const sha = await commitOn(base, "topic/one", "one.txt");
    const main = await api.call("GET", `${base}/branches/main`, { as: alice });
    const created = await open(base, { title: "One", body: "What it does", head: "topic/one", base: "main" });
    expect(created).toMatchObject({
      status: 201,
      json: {
        ...{ number: 1, state: "open", title: "One", body: "What it does", draft: false, merged: false },
        ...{ mergeable: true, additions: 1, deletions: 0, changed_files: 1, merge_base: main.json.commit.id },
        base: { label: "main", ref: "main", sha: main.json.commit.id, repo: { full_name: "alice/base" } },
        head: { label: "topic/one", ref: "topic/one", sha, repo: { full_name: "alice/base" } },
        ...{ merged_at: null, merge_commit_sha: null, merged_by: null, user: { login: "alice" } },
      },
    });
    expect((await api.call("GET", `${base}/pulls/1`, { as: alice })).json).toEqual(created.json);
    const issue = await api.call("GET", `${base}/issues/1`, { as: alice });
    expect(issue.json.pull_request).toEqual({
      ...{ merged: false, merged_at: null, draft: false },
      html_url: created.json.html_url,
    });
    const { json } = await api.call("GET", `${base}`, { as: alice });
    expect([json.open_pr_counter, json.open_issues_count]).toEqual([1, 0]);
  });

  it("409 for a second one between the same branches; 201 again after the first is closed", async () => {
    const repository = await makeRepository("twice");
    await commitOn(repository, "topic", "a");
    const given = { title: "A", head: "topic", base: "main" };
    const answers = await Promise.all([open(repository, given), open(repository, given)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const number = answers.find(({ status }) => status === 201)?.json.number;
    await api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { state: "closed" } });
    expect(await open(repository, given)).toMatchObject({ status: 201 });
    expect(
      await api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { state: "open" } }),
    ).toMatchObject({ status: 409 });
  });

  it("201 from a fork by a reader, and the base has what the head leads to", async () => {
    const repository = await makeRepository("forked");
    await api.call("POST", `${repository}/forks`, { as: bob, body: {} });
    const sha = await commitOn("/repos/bob/forked", "feature", "new.txt", { as: bob });
    const created = await open(repository, { title: "Mine", head: "bob:feature", base: "main" }, bob);
    expect(created).toMatchObject({
      status: 201,
      json: {
        head: { sha, repo: { full_name: "bob/forked" } },
        base: { repo: { full_name: "alice/forked" } },
      },
    });
    const { number } = created.json;
    const commits = await api.call("GET", `${repository}/pulls/${number}/commits`, { as: alice });
    expect(commits.json).toMatchObject([{ sha, files: [{ filename: "new.txt", status: "added" }] }]);
    const ref = await api.call("GET", `${repository}/git/refs/pull/${number}/head`, { as: alice });
    expect(ref.json).toMatchObject([{ object: { sha } }]);
    const again = await commitOn("/repos/bob/forked", "feature", "more.txt", { as: bob });
    const now = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
    expect(now.json).toMatchObject({ head: { sha: again }, changed_files: 2 });
    const found = await api.call("GET", `${repository}/pulls/main/bob:feature`, { as: alice });
    expect(found.json.number).toBe(number);
  });

  it.each([
    ["422: head is base", { head: "main", base: "main" }, 422],
    ["404: an unknown base", { head: "topic/one", base: "none" }, 404],
    ["404: an unknown head", { head: "none", base: "main" }, 404],
    ["404: an unknown owner of the head", { head: "nobody:main", base: "main" }, 404],
    ["422: no title", { head: "topic/one", base: "main", title: "" }, 422],
  ])("%s", async (_title, given, status) => {
    expect(await open(base, { title: "T", ...given })).toMatchObject({ status });
  });
});

describe("repoListPullRequests", () => {
  it("filters by state, base, head, poster and labels, with exact totals", async () => {
    const repository = await makeRepository("listed");
    for (const name of ["a", "b", "c"]) {
      await commitOn(repository, name, name);
      await open(repository, { title: `WIP: ${name}`, head: name, base: "main" });
    }
    await api.call("PATCH", `${repository}/pulls/2`, { as: alice, body: { state: "closed" } });
    const list = async (query: string) => {
      const { json, headers } = await api.call("GET", `${repository}/pulls?${query}`, { as: alice });
      return [json.map(({ number }: { number: number }) => number), Number(headers.get("x-total-count"))];
    };
    expect(await list("state=all")).toEqual([[3, 2, 1], 3]);
    expect(await list("limit=1")).toEqual([[3], 2]);
    expect(await list("state=closed")).toEqual([[2], 1]);
    expect(await list("head=a")).toEqual([[1], 1]);
    expect(await list("base=main&poster=alice&state=all")).toEqual([[3, 2, 1], 3]);
    expect(await list("base=other&state=all")).toEqual([[], 0]);
    expect(await list("base_branch=other&state=all")).toEqual([[], 0]);
    expect(await list("base_branch=main&sort=priority")).toEqual([[3, 1], 2]);
    expect(await list("sort=oldest")).toEqual([[1, 3], 2]);
    expect(await list("poster=bob")).toEqual([[], 0]);
    expect(await api.call("GET", `${repository}/pulls?poster=none`, { as: alice })).toMatchObject({
      status: 400,
    });
  });
});

describe("repoEditPullRequest", () => {
  it("201: texts, draft, another base, and the timeline tells of it", async () => {
    const repository = await makeRepository("edited");
    await commitOn(repository, "topic", "a");
    await commitOn(repository, "release", "b");
    await open(repository, { title: "WIP: A", head: "topic", base: "main" });
    const edit = (body: object) => api.call("PATCH", `${repository}/pulls/1`, { as: alice, body });
    expect((await edit({ title: "A" })).json).toMatchObject({ draft: false, mergeable: true });
    expect(await edit({ base: "release" })).toMatchObject({
      status: 201,
      json: { base: { ref: "release" }, mergeable: true },
    });
    expect(await edit({ base: "none" })).toMatchObject({ status: 404 });
    const { json } = await api.call("GET", `${repository}/issues/1/timeline`, { as: alice });
    expect(json).toContainEqual(
      expect.objectContaining({ type: "change_target_branch", old_ref: "main", new_ref: "release" }),
    );
  });

  it("403 without a body for callers who are neither author nor writer", async () => {
    const { status, text } = await api.call("PATCH", `${base}/pulls/1`, { as: bob, body: { title: "x" } });
    expect([status, text]).toEqual([403, ""]);
  });
});

describe("repoGetPullRequest", () => {
  it("404 for an issue, an unknown number, and who may not read", async () => {
    const repository = await makeRepository("hidden", { private: true });
    await commitOn(repository, "topic", "a");
    await open(repository, { title: "H", head: "topic", base: "main" });
    await api.call("POST", `${repository}/issues`, { as: alice, body: { title: "I" } });
    const get = async (number: number, as: Caller) =>
      (await api.call("GET", `${repository}/pulls/${number}`, { as })).status;
    expect([await get(1, alice), await get(2, alice), await get(3, alice), await get(1, bob)]).toEqual([
      ...[200, 404, 404, 404],
    ]);
  });
});

describe("repoGetPullRequestByBaseHead", () => {
  it("404 where none is open", async () => {
    const get = (path: string) => api.call("GET", `${base}/pulls/${path}`, { as: alice });
    expect((await get("main/topic/one")).json).toMatchObject({ number: 1 });
    expect((await get("main/alice:topic/one")).json).toMatchObject({ number: 1 });
    expect((await get("main/none")).status).toBe(404);
    expect((await get("main/nobody:topic")).status).toBe(404);
  });
});

describe("repoGetCommitPullRequest", () => {
  it("404 for a commit that merged none", async () => {
    const { json } = await api.call("GET", `${base}/branches/main`, { as: alice });
    expect(await api.call("GET", `${base}/commits/${json.commit.id}/pull`, { as: alice })).toMatchObject({
      status: 404,
    });
  });
});

describe("repoListPinnedPullRequests", () => {
  it("200: those that are pinned, apart from issues", async () => {
    await api.call("POST", `${base}/issues/1/pin`, { as: alice });
    const { json } = await api.call("GET", `${base}/pulls/pinned`, { as: alice });
    expect(json).toMatchObject([{ number: 1, pin_order: 1 }]);
    expect((await api.call("GET", `${base}/issues/pinned`, { as: alice })).json).toEqual([]);
  });
});

/** What a request brings: these answer about the same commits. */
const aboutCommits = [
  ...["repoGetPullRequestFiles", "repoGetPullRequestCommits", "repoDownloadPullDiffOrPatch"],
  "repoPullRequestIsMerged",
];

describe(aboutCommits.join(", "), () => {
  it("200: each file with its lines, the texts; mergeable is false in a conflict; repoPullRequestIsMerged: 404 as long as it is not merged (ST-2)", async () => {
    const repository = await makeRepository("files");
    await commitOn(repository, "main", "kept.txt", { content: "1\n2\n3\n4\n5\n6\n" });
    await commitOn(repository, "topic", "new.txt", { content: "a\nb\n" });
    await open(repository, { title: "F", head: "topic", base: "main" });
    const files = await api.call("GET", `${repository}/pulls/1/files`, { as: alice });
    expect(files.json).toMatchObject([
      { filename: "new.txt", status: "added", additions: 2, deletions: 0, changes: 2 },
    ]);
    const diff = await api.call("GET", `${repository}/pulls/1.diff`, { as: alice });
    expect(diff.text).toContain("+++ b/new.txt");
    const patch = await api.call("GET", `${repository}/pulls/1.patch`, { as: alice });
    expect(patch.text).toContain("Subject: [PATCH] Write new.txt");
    await commitOn(repository, "main", "new.txt", { content: "other\n" });
    const now = await api.call("GET", `${repository}/pulls/1`, { as: alice });
    expect(now.json).toMatchObject({ mergeable: false });
    expect(await api.call("GET", `${repository}/pulls/1/merge`, { as: alice })).toMatchObject({
      ...{ status: 404, text: "" },
    });
  });
});
