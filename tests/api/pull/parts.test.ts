import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { commitOn, makeBase, openPull } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let base: string;
/** Ids of labels and of a milestone of the repository. */
const labels: number[] = [];
let milestone: number;
const heads = ["a", "b", "c", "d"];

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  base = await makeBase(api, alice, "base");
  for (const head of heads) await commitOn(api, base, head, `${head}.txt`, { as: alice });
  for (const name of ["one", "two", "three"]) {
    labels.push((await send("POST /labels", { name, color: "00aabb" })).json.id);
  }
  milestone = (await send("POST /milestones", { title: "soon" })).json.id;
});
afterAll(() => api.stop());

const send = (line: string, body?: object, as = alice) => {
  const [method = "", path = ""] = line.split(" ");
  return api.call(method, base + path, { as, ...(body && { body }) });
};
const namesIn = (json: { login?: string; name?: string }[]) => json.map(({ login, name }) => login ?? name);

describe("repoCreatePullRequest: labels, milestone, assignees, deadline (semantics §21)", () => {
  const given = () => ({
    ...{ title: "T", base: "main", labels: [labels[0], labels[1]], milestone, assignees: ["alice"] },
    due_date: "2030-05-01T10:00:00Z",
  });

  it("201 with all of them for a writer; a reader's are ignored", async () => {
    const { json } = await send("POST /pulls", { ...given(), head: "a" });
    expect([namesIn(json.labels), namesIn(json.assignees), json.milestone.id]).toEqual([
      ...[["one", "two"], ["alice"], milestone],
    ]);
    expect([json.assignee.login, json.due_date.slice(0, 10)]).toEqual(["alice", "2030-05-01"]);
    const read = await send("POST /pulls", { ...given(), head: "b" }, bob);
    expect(read).toMatchObject({
      ...{ status: 201, json: { labels: [], assignees: [], assignee: null, milestone: null } },
    });
  });

  it("404 for an unknown milestone, 422 for an assignee who is unknown or has no access, and nothing is opened", async () => {
    const open = async (more: object) =>
      (await send("POST /pulls", { ...given(), head: "c", ...more })).status;
    expect(await open({ milestone: 99 })).toBe(404);
    expect(await open({ assignees: ["nobody"] })).toBe(422);
    const secret = await makeBase(api, alice, "secret", { private: true });
    await commitOn(api, secret, "topic", "a", { as: alice });
    const body = { title: "T", head: "topic", base: "main", assignees: ["bob"] };
    expect((await api.call("POST", `${secret}/pulls`, { as: alice, body })).status).toBe(422);
    expect((await api.call("GET", `${secret}/pulls`, { as: alice })).json).toEqual([]);
    expect((await send("GET /pulls/main/c")).status).toBe(404);
  });

  it("403 for who the owner blocks", async () => {
    await api.call("PUT", "/user/blocks/bob", { as: alice });
    expect((await send("POST /pulls", { ...given(), head: "c" }, bob)).status).toBe(403);
    await api.call("DELETE", "/user/blocks/bob", { as: alice });
  });
});

describe("repoListPullRequests", () => {
  const list = async (query: string) => {
    const { status, json, headers } = await send(`GET /pulls?${query}`);
    if (status !== 200) return status;
    return [
      json.map(({ head }: { head: { ref: string } }) => head.ref).join(""),
      Number(headers.get("x-total-count")),
    ];
  };

  beforeAll(async () => {
    for (const head of ["c", "d"]) await openPull(api, base, { as: alice, head });
    await send("POST /issues/3/labels", { labels: [labels[1]] });
    await send("POST /issues/4/labels", { labels: [labels[2]] });
  });

  it("200: any of several labels, named with commas or each by itself; 422 for what is no id", async () => {
    expect(await list(`labels=${labels[1]}`)).toEqual(["ca", 2]);
    expect(await list(`labels=${labels[1]}&labels=${labels[2]}`)).toEqual(["dca", 3]);
    expect(await list(`labels=${labels[0]},${labels[2]}`)).toEqual(["da", 2]);
    expect(await list("labels=")).toEqual(["dcba", 4]);
    expect(await list("labels=999999")).toEqual(["", 0]);
    expect(await list("labels=one")).toBe(422);
  });

  it("200: by milestone, together with others; every sort; 422 for another", async () => {
    expect(await list(`milestone=${milestone}`)).toEqual(["a", 1]);
    expect(await list(`milestone=${milestone}&labels=${labels[2]}`)).toEqual(["", 0]);
    expect(await list("milestone=0&poster=bob")).toEqual(["b", 1]);
    api.clock.advance(60_000);
    await send("PATCH /pulls/2", { title: "Touched" });
    await send("POST /issues/3/comments", { body: "A word" });
    api.clock.advance(60_000);
    await send("PATCH /pulls/1", { title: "Touched" });
    expect(await list("sort=oldest")).toEqual(["abcd", 4]);
    expect(await list("sort=recentupdate&limit=2")).toEqual(["ac", 4]);
    expect(await list("sort=leastupdate&limit=1")).toEqual(["d", 4]);
    expect(await list("sort=mostcomment&limit=1")).toEqual(["c", 4]);
    expect(await list("sort=leastcomment&limit=3")).toEqual(["dba", 4]);
    expect(await list("sort=random")).toBe(422);
  });

  it("200: open ones unless closed or all are asked for, in pages with a Link", async () => {
    await send("PATCH /pulls/4", { state: "closed" });
    expect(await list("")).toEqual(["cba", 3]);
    expect(await list("state=closed")).toEqual(["d", 1]);
    expect(await list("state=all")).toEqual(["dcba", 4]);
    expect(await list("state=all&page=2&limit=3")).toEqual(["a", 4]);
    expect(await list("page=9")).toEqual(["", 3]);
    const { headers } = await send("GET /pulls?limit=1&page=2");
    for (const rel of ["next", "last", "first", "prev"])
      expect(headers.get("link")).toContain(`rel="${rel}"`);
  });
});

describe("repoEditPullRequest (semantics §21)", () => {
  const edit = (body: object, as = alice) => send("PATCH /pulls/1", body, as);

  it("201: labels are replaced, deadline set and taken away, milestone 0 changes nothing; the author may, a reader may not", async () => {
    expect(namesIn((await edit({ labels: [labels[2]] })).json.labels)).toEqual(["three"]);
    expect((await edit({ labels: [] })).json.labels).toEqual([]);
    expect((await edit({ milestone: 0 })).json.milestone.id).toBe(milestone);
    expect((await edit({ unset_due_date: true })).json.due_date).toBeNull();
    expect((await edit({ due_date: "2031-01-02T03:04:05Z" })).json.due_date).toContain("2031-01-02");
    expect((await edit({ assignees: [] })).json).toMatchObject({ assignees: [], assignee: null });
    expect(namesIn((await edit({ assignee: "alice" })).json.assignees)).toEqual(["alice"]);
    expect((await send("PATCH /pulls/2", { title: "Mine", body: "Text" }, bob)).json).toMatchObject({
      ...{ title: "Mine", body: "Text" },
    });
    expect(await edit({ title: "Not mine" }, bob)).toMatchObject({ status: 403, text: "" });
  });

  it("409 for a base with which a request is open, 422 for its own head and for a closed one, 409 and 412 once merged", async () => {
    await send("POST /branches", { new_branch_name: "release" });
    await openPull(api, base, { as: alice, head: "a", base: "release" });
    expect((await edit({ base: "release" })).status).toBe(409);
    expect((await edit({ base: "a" })).status).toBe(422);
    expect((await send("PATCH /pulls/4", { base: "release" })).status).toBe(422);
    expect((await send("POST /pulls/1/merge", { Do: "merge" })).status).toBe(200);
    expect((await edit({ base: "b" })).status).toBe(409);
    for (const state of ["open", "closed"])
      expect([state, (await edit({ state })).status]).toEqual([state, 412]);
    expect((await send("PATCH /issues/1", { state: "open" })).status).toBe(412);
    expect((await edit({ title: "Still editable" })).json).toMatchObject({ title: "Still editable" });
  });

  it("403 for allow_maintainer_edit by others than the author, who may write the head", async () => {
    await api.call("POST", `${base}/forks`, { as: bob, body: {} });
    await commitOn(api, "/repos/bob/base", "topic", "t.txt", { as: bob });
    const { number } = await openPull(api, base, { as: bob, head: "bob:topic" });
    const allow = async (as: Caller) =>
      (await send(`PATCH /pulls/${number}`, { allow_maintainer_edit: true }, as)).status;
    expect([await allow(alice), await allow(bob)]).toEqual([403, 201]);
    expect((await send(`GET /pulls/${number}`)).json.allow_maintainer_edit).toBe(true);
  });
});

describe("repoGetPullRequestByBaseHead (semantics §45)", () => {
  it("200 with slashes in both names, by owner and by repository; 404 once it is closed", async () => {
    await send("POST /branches", { new_branch_name: "rel/1" });
    await commitOn(api, base, "to/pic", "pic.txt", { as: alice });
    const { number } = await openPull(api, base, { as: alice, head: "to/pic", base: "rel/1" });
    const found = async (head: string) => (await send(`GET /pulls/rel%2F1/${head}`)).json.number;
    for (const head of ["to/pic", "to%2Fpic", "alice:to/pic", "alice/base:to/pic"]) {
      expect([head, await found(head)]).toEqual([head, number]);
    }
    await send(`PATCH /pulls/${number}`, { state: "closed" });
    expect((await send("GET /pulls/rel%2F1/to/pic")).status).toBe(404);
  });
});
