import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeRepository, makeTeam } from "./make.ts";

let api: TestApi;
let ask: (service: "upload" | "receive", as: Caller | undefined, owner?: string) => Promise<number>;
const callers = new Map<string, Caller>();

beforeAll(async () => {
  api = await makeApi();
  for (const name of ["alice", "reader", "writer", "triager", "stranger"]) {
    callers.set(name, await api.makeUser({ name }));
  }
  const git = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
  ask = async (service, as, owner = "acme") => {
    const headers = as === undefined ? {} : { authorization: `token ${as.token}` };
    const path = `/${owner}/wares.git/info/refs?service=git-${service}-pack`;
    return (await git.request(path, { headers })).status;
  };
  const alice = callerOf("alice");
  await makeOrganization(api, alice, "acme", { visibility: "private" });
  await makeRepository(api, alice, "acme", "wares", { private: true });
  for (const [name, units_map] of Object.entries({
    reader: { "repo.code": "read" },
    writer: { "repo.code": "write" },
    triager: { "repo.issues": "write" },
  })) {
    const team = await makeTeam(api, alice, "acme", `${name}s`, {
      units_map,
      includes_all_repositories: true,
    });
    await join(api, alice, team, callerOf(name));
  }
});
afterAll(() => api.stop());

const callerOf = (name: string): Caller => {
  const caller = callers.get(name);
  if (caller === undefined) throw new Error(`there is no ${name}`);
  return caller;
};

describe("git on a private repository of a private organization", () => {
  it.each([
    ["alice", 200, 200],
    ["reader", 200, 403],
    ["writer", 200, 200],
    ["triager", 404, 404],
    ["stranger", 404, 404],
  ])("%s: a fetch is answered by %i, a push by %i", async (name, fetch, push) => {
    expect([await ask("upload", callerOf(name)), await ask("receive", callerOf(name))]).toEqual([
      fetch,
      push,
    ]);
  });

  it("401 for anonymous callers, so that git asks for credentials", async () => {
    expect(await ask("upload", undefined)).toBe(401);
  });

  it("200 under the organization's former name, too", async () => {
    const body = { new_name: "renamed" };
    await api.call("POST", "/orgs/acme/rename", { as: callerOf("alice"), body });
    expect(await ask("receive", callerOf("writer"))).toBe(200);
    expect(await ask("receive", callerOf("writer"), "renamed")).toBe(200);
    expect(await ask("upload", callerOf("stranger"))).toBe(404);
  });
});
