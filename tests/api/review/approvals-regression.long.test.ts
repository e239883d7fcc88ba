import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import { isForgeError } from "#core/errors";
import { requireMergeable } from "#core/pull/merge/check";
import { landMerge } from "#core/pull/merge/land-merge";
import { makeMerge } from "#core/pull/merge/make-merge";
import { openMerging } from "#core/pull/merge/merge";
import { commitOn, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
});
afterAll(() => api.stop());

/** A repository of alice's whose `main` a rule protects; bob and carol may write. */
async function guarded(name: string, rule: object, files: Record<string, string> = { "a.txt": "a\n" }) {
  const id = await makeRepository(api, alice, name);
  const path = `/repos/alice/${name}`;
  await pushFiles(api, alice, name, { files });
  for (const writer of ["bob", "carol"]) {
    await api.call("PUT", `${path}/collaborators/${writer}`, { as: alice, body: { permission: "write" } });
  }
  const body = { rule_name: "main", required_approvals: 1, ...rule };
  await api.call("POST", `${path}/branch_protections`, { as: alice, body });
  return { id, path };
}

const approve = async (path: string, as = carol): Promise<number> =>
  (await api.call("POST", `${path}/pulls/1/reviews`, { as, body: { event: "APPROVED" } })).json.id;
const merge = async (path: string): Promise<number> =>
  (await api.call("POST", `${path}/pulls/1/merge`, { as: bob, body: { Do: "merge" } })).status;

describe("repoMergePullRequest, approvals that do not count (semantics §12.3)", () => {
  it("405 with the approval of a writer whom the new base's rule does not list, 200 with a listed one's", async () => {
    const list = { enable_approvals_whitelist: true, approvals_whitelist_username: ["alice"] };
    const { path } = await guarded("moved", list);
    await commitOn(api, path, "dev", "dev.txt", { as: bob });
    await commitOn(api, path, "topic", "topic.txt", { as: bob });
    await openPull(api, path, { as: bob, base: "dev" });
    await approve(path);
    const body = { base: "main" };
    expect((await api.call("PATCH", `${path}/pulls/1`, { as: bob, body })).status).toBe(201);
    expect(await merge(path)).toBe(405);
    const { json } = await api.call("GET", `${path}/pulls/1/reviews`, { as: bob });
    expect(json).toMatchObject([{ state: "APPROVED", official: false }]);
    await approve(path, alice);
    expect(await merge(path)).toBe(200);
  });

  it("405 with a stale approval: the same line in another function is another change", async () => {
    const body = (first: string, second: string) =>
      `first {\n  a\n  b\n${first}  c\n  d\n}\n\nsecond {\n  e\n  f\n${second}  g\n  h\n}\n`;
    const { path } = await guarded("line", { ignore_stale_approvals: true }, { "f.txt": body("", "") });
    const push = (content: string) =>
      pushFiles(api, alice, "line", { branch: "topic", from: "main", files: { "f.txt": content } });
    await push(body("  return\n", ""));
    await openPull(api, path, { as: bob });
    await approve(path);
    await push(body("", "  return\n"));
    expect(await merge(path)).toBe(405);
  });

  it("405 when the approval is dismissed while the merge is made", async () => {
    const { id, path } = await guarded("dismissed", {});
    await commitOn(api, path, "topic", "topic.txt", { as: bob });
    await openPull(api, path, { as: bob });
    const review = await approve(path);
    const actor = { user: bob.user };
    const access = await findAccessById(api.forge, actor, id);
    if (access === undefined) throw new Error("no access");
    const merging = await openMerging(api.forge, access, 1, actor);
    await requireMergeable(api.forge, merging, { style: "merge" });
    const tip = await makeMerge(api.forge, merging, { style: "merge" });
    await api.call("POST", `${path}/pulls/1/reviews/${review}/dismissals`, { as: alice, body: {} });
    const landing = landMerge(api.forge, merging, { style: "merge" }, tip as string, () => 25_000);
    await expect(landing).rejects.toSatisfy((error) => isForgeError(error, "not-applicable"));
    expect((await api.call("GET", `${path}/pulls/1/merge`, { as: bob })).status).toBe(404);
  });
});
