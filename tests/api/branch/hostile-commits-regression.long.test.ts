import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeCommit, type TestCommit } from "../../core/repository/commits.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await api.makeUser({ name: "recluse", email: "recluse@example.com", visibility: "private" });
});
afterAll(() => api.stop());

/** Pushes one commit as a branch of a new repository; answers what became of the ref. */
async function push(repo: string, ref: string, commit: TestCommit) {
  const { json } = await api.call("POST", "/user/repos", { as: alice, body: { name: repo } });
  const { id, pack } = makeCommit(commit);
  const place = { id: json.id as number, ownerId: json.owner.id as number };
  const changes = [{ name: ref, new: id }];
  const outcome = await pushToRepository(api.forge, place, { user: alice.user }, { changes, pack });
  return outcome.kind === "done" ? outcome.results[0]?.refusal : outcome.kind;
}
const branches = (repo: string, as = bob) => api.call("GET", `/repos/alice/${repo}/branches`, { as });

describe("repoListBranches", () => {
  it("200: an address longer than any key belongs to nobody", async () => {
    const email = `${"m".repeat(5_000)}@example.com`;
    expect(await push("long-address", "refs/heads/main", { author: { name: "A", email } })).toBeUndefined();
    const { status, json } = await branches("long-address");
    expect(status).toBe(200);
    expect(json[0].commit.author).toMatchObject({ name: "A", username: "" });
    expect(json[0].commit.author.email.length).toBe(255);
  });

  it("200: long messages and names are cut", async () => {
    const commit = {
      message: "w".repeat(500_000),
      author: { name: "n".repeat(90_000), email: "a@b.example" },
    };
    expect(await push("long-texts", "refs/heads/main", commit)).toBeUndefined();
    const { json } = await branches("long-texts");
    expect(json[0].commit.message).toBe(`${"w".repeat(65_535)}…`);
    expect(json[0].commit.author.name).toBe(`${"n".repeat(254)}…`);
  });

  it("200: an address does not tell the name of a user whom the caller may not know of (D-HIDDEN)", async () => {
    const author = { name: "R", email: "recluse@example.com" };
    await push("of-a-recluse", "refs/heads/main", { author });
    expect((await branches("of-a-recluse")).json[0].commit.author.username).toBe("");
    await push("of-bob", "refs/heads/main", { author: { name: "B", email: "bob@example.com" } });
    expect((await branches("of-bob")).json[0].commit.author.username).toBe("bob");
  });
});

describe("a push", () => {
  it("of a branch at a commit of more than a megabyte is refused: lists read such commits by the page", async () => {
    expect(await push("huge", "refs/heads/main", { message: "h".repeat(2 ** 20) })).toContain(
      "1048576 bytes",
    );
  });

  it("whose first branch has a name that is no text lands, and leaves the default branch as it was", async () => {
    expect(await push("bytes", "refs/heads/\udcff\udcfe", {})).toBeUndefined();
    const { json } = await api.call("GET", "/repos/alice/bytes", { as: alice });
    expect(json).toMatchObject({ empty: false, default_branch: "main" });
    expect(await branches("bytes")).toMatchObject({ status: 200, json: [{ name: "\udcff\udcfe" }] });
  });

  it.each(["refs/heads", "refs/tags", "refs/pull", "refs/stash"])(
    "of %s is refused, as by git: no ref could be made below it",
    async (ref) => {
      expect(await push(`flat-${ref.slice(5)}`, ref, {})).toBe("not a valid ref name");
    },
  );
});
