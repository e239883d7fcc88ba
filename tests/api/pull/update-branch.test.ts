import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type PullRepositories, pullRepositories } from "./pull-repositories.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let repositories: PullRepositories;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  repositories = pullRepositories(api, alice);
});
afterAll(() => api.stop());

const update = (repository: string, number: number, style = "", as = alice) =>
  api.call("POST", `${repository}/pulls/${number}/update${style}`, { as });
const parentsOf = async (repository: string, sha: string): Promise<string[]> => {
  const { json } = await api.call("GET", `${repository}/git/commits/${sha}`, { as: bob });
  return json.parents.map((parent: { sha: string }) => parent.sha);
};

async function behind(name: string) {
  const repository = await repositories.make(name);
  const head = await repositories.commitOn(repository, "topic", "topic.txt");
  const base = await repositories.commitOn(repository, "main", "main.txt");
  return { repository, head, base, number: await repositories.open(repository, "topic") };
}

describe("repoUpdatePullRequest", () => {
  it("200 merge: the base is merged into the head; again nothing happens", async () => {
    const { repository, head, base, number } = await behind("merged");
    expect(await update(repository, number)).toMatchObject({ status: 200, text: "" });
    const tip = await repositories.tipOf(repository, "topic");
    expect(await parentsOf(repository, tip)).toEqual([head, base]);
    const { json } = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
    expect([json.head.sha, json.merge_base]).toEqual([tip, base]);
    expect((await update(repository, number)).status).toBe(200);
    expect(await repositories.tipOf(repository, "topic")).toBe(tip);
  });

  it("200 rebase: the head's commits stand on the base; 403 when the repository or a rule forbids it", async () => {
    const { repository, base, number } = await behind("rebased");
    await api.call("PATCH", repository, { as: alice, body: { allow_rebase_update: false } });
    expect(await update(repository, number, "?style=rebase")).toMatchObject({ status: 403, text: "" });
    await api.call("PATCH", repository, { as: alice, body: { allow_rebase_update: true } });
    const rule = { rule_name: "topic", enable_push: true };
    await api.call("POST", `${repository}/branch_protections`, { as: alice, body: rule });
    expect((await update(repository, number, "?style=rebase")).status).toBe(403);
    await api.call("DELETE", `${repository}/branch_protections/topic`, { as: alice });
    expect((await update(repository, number, "?style=rebase")).status).toBe(200);
    expect(await parentsOf(repository, await repositories.tipOf(repository, "topic"))).toEqual([base]);
  });

  it("200 for a fork's branch, by its owner: the base's objects come along; 403 for the base's owner", async () => {
    const repository = await repositories.make("origin");
    await api.call("POST", `${repository}/forks`, { as: bob, body: {} });
    const head = await repositories.commitOn("/repos/bob/origin", "topic", "topic.txt", { as: bob });
    const number = await repositories.open(repository, "bob:topic", {}, bob);
    const base = await repositories.commitOn(repository, "main", "main.txt");
    expect((await update(repository, number)).status).toBe(403);
    expect((await update(repository, number, "", bob)).status).toBe(200);
    const { json } = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
    expect(await parentsOf("/repos/bob/origin", json.head.sha)).toEqual([head, base]);
  });

  it("409 with both unchanged when they conflict; 422 when it is closed or the style is unknown; 404 without one", async () => {
    const { repository, number } = await behind("refused");
    await repositories.commitOn(repository, "main", "topic.txt", { content: "other\n" });
    const before = await repositories.tipOf(repository, "topic");
    for (const style of ["", "?style=rebase"])
      expect((await update(repository, number, style)).status).toBe(409);
    expect(await repositories.tipOf(repository, "topic")).toBe(before);
    expect((await update(repository, number, "?style=squash")).status).toBe(422);
    await api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { state: "closed" } });
    expect((await update(repository, number)).status).toBe(422);
    expect((await update(repository, 99)).status).toBe(404);
  });
});
