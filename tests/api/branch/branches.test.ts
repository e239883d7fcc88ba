import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import { pushToRepository } from "#core/repository/push";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeCommit, type TestCommit } from "../../core/repository/commits.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
const ids = new Map<string, ObjectId>();

beforeAll(async () => {
  api = await makeApi();
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  await make("r", "sha1");
  await push("r", "main", { seconds: 3_000, message: "Subject\n\nBody\n" });
  await push("r", "feature/a%b#c", { seconds: 1_000 });
  await push("r", "feature/a", { seconds: 5_000, author: { name: "Bob", email: "BOB@example.com" } });
  await push("r", "zeta", { seconds: 1_000 });
  await push("r", "alpha", { seconds: 1_000 });
});
afterAll(() => api.stop());

async function make(name: string, format: ObjectFormat, options: object = {}): Promise<void> {
  const body = { name, object_format_name: format, ...options };
  expect((await api.call("POST", "/user/repos", { as: alice, body })).status).toBe(201);
}

async function push(repo: string, branch: string, commit: TestCommit): Promise<void> {
  const { json } = await api.call("GET", `/repos/alice/${repo}`, { as: alice });
  const { id, pack } = makeCommit({ message: `${branch}\n`, ...commit });
  const changes = [{ name: `refs/heads/${branch}`, new: id }];
  const outcome = await pushToRepository(
    api.forge,
    { id: json.id, ownerId: json.owner.id },
    { user: alice.user },
    { changes, pack },
  );
  expect(outcome.kind === "done" && outcome.results).toEqual([{ name: `refs/heads/${branch}` }]);
  ids.set(branch, id);
}

const names = (rows: { name: string }[]) => rows.map((one) => one.name);

describe("repoListBranches", () => {
  it("200: newest commit first, then by name", async () => {
    const { status, json, headers } = await api.call("GET", "/repos/alice/r/branches");
    expect(status).toBe(200);
    expect(names(json)).toEqual(["feature/a", "main", "alpha", "feature/a%b#c", "zeta"]);
    expect(headers.get("x-total-count")).toBe("5");
    expect(headers.get("link")).toBeNull();
  });

  it("200: pages with Link and X-Total-Count (semantics §1.11)", async () => {
    const { json, headers } = await api.call("GET", "/repos/alice/r/branches?limit=2&page=2");
    expect(names(json)).toEqual(["alpha", "feature/a%b#c"]);
    expect(headers.get("x-total-count")).toBe("5");
    const link = headers.get("link") ?? "";
    for (const [rel, page] of [
      ["next", 3],
      ["last", 3],
      ["first", 1],
      ["prev", 1],
    ]) {
      expect(link).toContain(`page=${page}>; rel="${rel}"`);
    }
    expect((await api.call("GET", "/repos/alice/r/branches?page=9")).json).toEqual([]);
  });

  it("200: q keeps branches that hold it in their name", async () => {
    expect(names((await api.call("GET", "/repos/alice/r/branches?q=FEAT")).json)).toEqual([
      "feature/a",
      "feature/a%b#c",
    ]);
  });

  it("200: an empty repository has none", async () => {
    await make("empty", "sha1");
    expect((await api.call("GET", "/repos/alice/empty/branches")).json).toEqual([]);
  });

  it("404: hidden and unknown repositories", async () => {
    await make("secret", "sha1", { private: true });
    expect((await api.call("GET", "/repos/alice/secret/branches", { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/repos/alice/absent/branches")).status).toBe(404);
  });
});

describe("repoGetBranch", () => {
  it("200: the branch with its whole commit, its people matched by e-mail address (RES-Branch)", async () => {
    const { status, json } = await api.call("GET", "/repos/alice/r/branches/main", { as: bob });
    expect(status).toBe(200);
    expect(json).toEqual({
      name: "main",
      commit: {
        id: ids.get("main"),
        message: "Subject\n\nBody\n",
        url: `http://127.0.0.1:3000/alice/r/commit/${ids.get("main")}`,
        author: { name: "A. U. Thor", email: "author@example.com", username: "" },
        committer: { name: "C. O. Mitter", email: "author@example.com", username: "" },
        verification: {
          verified: false,
          reason: "gpg.error.not_signed_commit",
          signature: "",
          signer: null,
          payload: "",
        },
        timestamp: "1970-01-01T00:50:00Z",
        added: null,
        removed: null,
        modified: null,
      },
      protected: false,
      required_approvals: 0,
      enable_status_check: false,
      status_check_contexts: [],
      user_can_push: false,
      user_can_merge: false,
      effective_branch_protection_name: "",
    });
    const own = await api.call("GET", "/repos/alice/r/branches/feature/a", { as: alice });
    expect(own.json).toMatchObject({
      user_can_push: true,
      commit: { author: { email: "BOB@example.com", username: "bob" } },
    });
  });

  it.each([
    ["raw", "feature/a"],
    ["encoded", "feature%2Fa"],
    ["encoded marks", "feature/a%25b%23c"],
    ["all encoded", "feature%2Fa%25b%23c"],
  ])("200: slashes and marks in the name, %s (D-RAWPATH)", async (_form, path) => {
    const { status, json } = await api.call("GET", `/repos/alice/r/branches/${path}`);
    expect(status).toBe(200);
    expect(json.name).toBe(decodeURIComponent(path));
  });

  it("200: ids of 64 digits in a SHA-256 repository (B-09)", async () => {
    await make("long", "sha256");
    await push("long", "main", { format: "sha256" });
    const { json } = await api.call("GET", "/repos/alice/long/branches/main");
    expect(json.commit.id).toMatch(/^[0-9a-f]{64}$/);
    expect(json.commit.id).toBe(ids.get("main"));
  });

  it("200: a date that no calendar holds does not break the answer", async () => {
    await make("clocks", "sha1");
    await push("clocks", "main", { seconds: 99_999_999_999_999 });
    const { status, json } = await api.call("GET", "/repos/alice/clocks/branches/main");
    expect(status).toBe(200);
    expect(json.commit.timestamp).toBe("9999-12-31T23:59:59Z");
  });

  it.each(["none", "feature", "refs/heads/main", "main/x"])("404: %s is no branch", async (name) => {
    const { status, json } = await api.call("GET", `/repos/alice/r/branches/${name}`);
    expect(status).toBe(404);
    expect(json.message).toContain(name);
  });

  it("404: an empty repository", async () => {
    expect((await api.call("GET", "/repos/alice/empty/branches/main")).status).toBe(404);
  });
});
