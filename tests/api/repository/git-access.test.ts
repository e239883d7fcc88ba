import type { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitPush } from "#core/git/store/push/commit-push";
import type { PushRequest } from "#core/git/store/push/push";
import { openRepository } from "#core/git/store/store";
import { ownerKey } from "#core/owner/owner.table";
import { update } from "#core/table/write";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeCommit } from "../../core/repository/commits.ts";

let api: TestApi;
let git: Hono;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi();
  git = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  for (const [name, options] of [
    ["open", {}],
    ["secret", { private: true }],
    ["old", {}],
  ] as const) {
    const body = { name, auto_init: true, ...options };
    expect((await api.call("POST", "/user/repos", { as: alice, body })).status).toBe(201);
  }
  await api.call("PATCH", "/repos/alice/old", { as: alice, body: { archived: true } });
});
afterAll(() => api.stop());

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
const services = { fetch: "git-upload-pack", push: "git-receive-pack" } as const;

/** The status of both requests that git makes; they must agree. */
async function ask(what: keyof typeof services, path: string, authorization?: string): Promise<Response> {
  const headers = new Headers(authorization === undefined ? {} : { authorization });
  const service = services[what];
  const first = await git.request(`/${path}/info/refs?service=${service}`, { headers });
  headers.set("content-type", `application/x-${service}-request`);
  const second = await git.request(`/${path}/${service}`, { method: "POST", headers, body: "0000" });
  expect(second.status === 200).toBe(first.status === 200);
  if (first.status !== 200) expect(second.status).toBe(first.status);
  return first;
}

const statusOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).status;

describe("git over HTTP", () => {
  it("200: anybody fetches what is public, with and without .git, whatever the case", async () => {
    expect(await statusOf("fetch", "alice/open.git")).toBe(200);
    expect(await statusOf("fetch", "ALICE/Open")).toBe(200);
    expect(await statusOf("fetch", "alice/open", basic("bob", bob.password))).toBe(200);
    expect(await statusOf("fetch", "alice/old")).toBe(200);
  });

  it("200: the owner fetches and pushes with password, token, and token as password", async () => {
    for (const authorization of [
      basic("alice", alice.password),
      basic("alice", alice.token),
      basic(alice.token, ""),
      basic(alice.token, "x-oauth-basic"),
      `token ${alice.token}`,
      `Bearer ${alice.token}`,
    ]) {
      expect(await statusOf("fetch", "alice/secret", authorization)).toBe(200);
      expect(await statusOf("push", "alice/secret", authorization)).toBe(200);
    }
  });

  it.each([
    ["fetch", "alice/secret"],
    ["fetch", "alice/absent"],
    ["fetch", "nobody/absent"],
    ["push", "alice/secret"],
    ["push", "alice/absent"],
    ["push", "alice/open"],
  ] as const)("401 with a challenge: anonymous %s of %s (D-CHALLENGE)", async (what, path) => {
    const answer = await ask(what, path);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
  });

  it("401: credentials that do not hold", async () => {
    expect(await statusOf("fetch", "alice/open", basic("alice", "wrong-horse"))).toBe(401);
    expect(await statusOf("fetch", "alice/open", `token ${"0".repeat(40)}`)).toBe(401);
  });

  it("404: what a signed-in caller may not see", async () => {
    for (const what of ["fetch", "push"] as const) {
      expect(await statusOf(what, "alice/secret", basic("bob", bob.password))).toBe(404);
      expect(await statusOf(what, "alice/absent", basic("bob", bob.password))).toBe(404);
    }
  });

  it("403: pushes of readers, and to archived repositories (D-REFUSE)", async () => {
    expect(await statusOf("push", "alice/open", basic("bob", bob.password))).toBe(403);
    expect(await statusOf("push", "alice/old", basic("alice", alice.password))).toBe(403);
  });

  it("403: tokens whose scopes do not cover it", async () => {
    const tokenOf = async (...scopes: string[]) => `token ${await api.makeToken(alice, scopes)}`;
    const reader = await tokenOf("read:repository");
    expect(await statusOf("fetch", "alice/secret", reader)).toBe(200);
    const refused = await ask("push", "alice/secret", reader);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("write:repository");
    expect(await statusOf("fetch", "alice/open", await tokenOf("write:issue"))).toBe(403);
    const publicOnly = await tokenOf("public-only", "write:repository");
    expect(await statusOf("push", "alice/open", publicOnly)).toBe(200);
    expect(await statusOf("fetch", "alice/secret", publicOnly)).toBe(403);
  });

  it("403: accounts that are not active or may not log in", async () => {
    const carol = await api.makeUser({ name: "carol" });
    const set = (changes: object) =>
      api.forge.table.write(update(ownerKey(carol.user.id), { set: { ...changes } }));
    await set({ isActive: false });
    expect(await statusOf("fetch", "alice/open", basic("carol", carol.password))).toBe(403);
    expect(await statusOf("fetch", "alice/open", `token ${carol.token}`)).toBe(403);
    await set({ isActive: true, isLoginProhibited: true });
    expect(await statusOf("fetch", "alice/open", `token ${carol.token}`)).toBe(403);
  });

  it("404: a deleted repository at once; 200: a renamed one, under its old name as well", async () => {
    for (const name of ["gone", "former"]) {
      await api.call("POST", "/user/repos", { as: alice, body: { name, auto_init: true } });
      expect(await statusOf("fetch", `alice/${name}`)).toBe(200);
    }
    await api.call("DELETE", "/repos/alice/gone", { as: alice });
    await api.call("PATCH", "/repos/alice/former", { as: alice, body: { name: "current" } });
    const authorization = basic("alice", alice.password);
    expect(await statusOf("push", "alice/gone", authorization)).toBe(404);
    expect(await statusOf("fetch", "alice/former", authorization)).toBe(200);
    expect(await statusOf("push", "alice/current", authorization)).toBe(200);
  });

  it("401: anonymous callers where everybody has to sign in", async () => {
    const closed = { ...api.forge, config: { ...api.forge.config, requireSigninView: true } };
    const app = createGitApp({ forge: closed, resolve: createGitResolver(closed) });
    const path = "/alice/open/info/refs?service=git-upload-pack";
    expect((await app.request(path)).status).toBe(401);
    const headers = { authorization: basic("bob", bob.password) };
    expect((await app.request(path, { headers })).status).toBe(200);
  });

  it("hands the engine rules that land a push with its card and event, and default branch", async () => {
    const resolve = createGitResolver(api.forge);
    await api.call("POST", "/user/repos", { as: alice, body: { name: "pushed" } });
    const resolved = await resolve({
      headers: new Headers({ authorization: `token ${alice.token}` }),
      owner: "alice",
      repo: "pushed",
      service: "receive",
      environment: undefined,
      log: api.forge.log,
    });
    if (!resolved.ok) throw new Error(resolved.message);
    expect(resolved.actorId).toBe(alice.user.id);
    const { id, pack } = makeCommit();
    const changes = [{ name: "refs/heads/dev", new: id }];
    const { judge, chooseHead, extraWrites, afterPush } = resolved;
    const rules = { judge, chooseHead, extraWrites } as Required<
      Pick<PushRequest, "judge" | "chooseHead" | "extraWrites">
    >;
    const request = { changes, pack, pusherId: alice.user.id, ...rules };
    const outcome = await commitPush(api.forge, resolved.repository.id, request);
    if (outcome.kind !== "done" || outcome.facts === undefined) throw new Error("nothing landed");
    expect(await afterPush?.(outcome.facts)).toEqual([]);
    const { json } = await api.call("GET", "/repos/alice/pushed", { as: alice });
    expect(json).toMatchObject({ empty: false, default_branch: "dev" });
    expect(json.size).toBeGreaterThan(0);
    expect((await openRepository(api.forge, json.id))?.head).toBe("refs/heads/dev");
  });
});
