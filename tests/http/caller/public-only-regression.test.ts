import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let ada: Caller;
/** Ada with a token for all that is public, and nothing else. */
let limited: Caller;
/** A user whom only signed-in callers see, with a token of the same kind. */
let shy: Caller;
const ids = new Map<string, number>();

beforeAll(async () => {
  api = await makeApi();
  ada = await api.makeUser({ name: "ada" });
  limited = { ...ada, token: await api.makeToken(ada, ["public-only", "all"]) };
  const make = async (as: Caller, path: string, body: object) => {
    const { status, json } = await api.call("POST", path, { as, body });
    expect([path, status]).toEqual([path, 201]);
    return json;
  };
  const fill = async (as: Caller, owner: string, path: string) => {
    for (const [name, isPrivate] of [
      ["open", false],
      ["secret", true],
    ] as const) {
      const auto = { name, private: isPrivate, auto_init: true, template: true };
      ids.set(`${owner}/${name}`, (await make(as, path, auto)).id);
      await make(as, `/repos/${owner}/${name}/issues`, { title: "one" });
      await api.call("PUT", `/repos/${owner}/${name}/topics/words`, { as });
    }
  };
  for (const visibility of ["public", "limited", "private"]) {
    const org = `org-${visibility}`;
    await make(ada, "/orgs", { username: org, visibility });
    await fill(ada, org, `/orgs/${org}/repos`);
  }
  const user = await api.makeUser({ name: "shy", visibility: "limited" });
  shy = { ...user, token: await api.makeToken(user, ["public-only", "all"]) };
  await fill(user, "shy", "/user/repos");
  await make(ada, "/user/repos", { name: "own", auto_init: true, template: true });
  await make(ada, "/repos/ada/own/issues", { title: "one" });
});
afterAll(() => api.stop());

/** Operations of every noun on a repository: method, path, body. */
const onRepository: readonly (readonly [string, string, object?])[] = [
  ["GET", ""],
  ["PATCH", "", { description: "changed" }],
  ["GET", "/contents"],
  ["POST", "/contents/a.txt", { content: "" }],
  ["GET", "/branches"],
  ["GET", "/commits"],
  ["GET", "/issues"],
  ["GET", "/issues/1"],
  ["POST", "/issues", { title: "two" }],
  ["POST", "/issues/1/comments", { body: "words" }],
  ["POST", "/labels", { name: "bug", color: "#ff0000" }],
  ["GET", "/milestones"],
  ["POST", "/wiki/new", { title: "Home", content_base64: "" }],
  ["GET", "/hooks"],
  ["GET", "/keys"],
  ["GET", "/collaborators"],
  ["GET", "/topics"],
  ["GET", "/forks"],
  ["GET", "/stargazers"],
  ["GET", "/subscribers"],
  ["GET", "/times"],
];

describe("a token that is limited to what is public (semantics §2.5)", () => {
  it.each(onRepository.map(([method, path, body]) => ({ method, path, body })))(
    "403: $method /repos/{owner}/{repo}$path where the owner is not public",
    async ({ method, path, body }) => {
      const statusOf = async (place: string) =>
        (await api.call(method, `/repos/${place}${path}`, { as: limited, ...defined({ body }) })).status;
      expect(await statusOf("org-public/open")).toBeLessThan(300);
      for (const place of ["org-public/secret", "org-limited/open", "org-private/open"]) {
        expect([place, await statusOf(place)]).toEqual([place, 403]);
      }
      const own = await api.call(method, `/repos/shy/open${path}`, { as: shy, ...defined({ body }) });
      expect(own.status).toBe(403);
    },
  );

  it("403: by the id of a repository, and over git", async () => {
    const git = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
    for (const [place, status] of [
      ["org-public/open", 200],
      ["org-limited/open", 403],
      ["org-private/open", 403],
    ] as const) {
      const byId = await api.call("GET", `/repositories/${ids.get(place)}`, { as: limited });
      expect([place, byId.status]).toEqual([place, status]);
      for (const service of ["git-upload-pack", "git-receive-pack"]) {
        const headers = basic("ada", limited.token);
        const answer = await git.request(`/${place}.git/info/refs?service=${service}`, { headers });
        expect([place, service, answer.status]).toEqual([place, service, status]);
      }
    }
  });

  it("403: an organization that is not public, its teams, and what would be put there", async () => {
    for (const [org, status] of [
      ["org-public", 403],
      ["org-limited", 403],
      ["org-private", 403],
    ] as const) {
      const isPublic = org === "org-public";
      const get = async (path: string) => (await api.call("GET", path, { as: limited })).status;
      for (const path of ["", "/repos", "/members", "/teams", "/labels", "/hooks"]) {
        expect([org, path, await get(`/orgs/${org}${path}`)]).toEqual([org, path, isPublic ? 200 : status]);
      }
      const [team] = (await api.call("GET", `/orgs/${org}/teams`, { as: ada })).json;
      expect([org, await get(`/teams/${team.id}`)]).toEqual([org, isPublic ? 200 : status]);
      expect([org, await get(`/teams/${team.id}/repos`)]).toEqual([org, isPublic ? 200 : status]);
    }
    for (const org of ["org-limited", "org-private"]) {
      const post = async (path: string, body: object) =>
        (await api.call("POST", path, { as: limited, body })).status;
      expect(await post(`/orgs/${org}/repos`, { name: "made" })).toBe(403);
      expect(await post("/repos/ada/own/forks", { organization: org })).toBe(403);
      expect(await post("/repos/ada/own/generate", { owner: org, name: "made", git_content: true })).toBe(
        403,
      );
      expect(await post("/repos/ada/own/transfer", { new_owner: org })).toBe(403);
      const dependency = { owner: org, repo: "open", index: 1 };
      expect(await post("/repos/ada/own/issues/1/dependencies", dependency)).toBe(404);
    }
  });

  it("403: a user who is not public; 200: lists leave out what is not, and count what they show", async () => {
    expect((await api.call("GET", "/users/shy", { as: limited })).status).toBe(403);
    const list = async (path: string, as = limited) => {
      const { json, headers } = await api.call("GET", path, { as });
      const rows = json.data ?? json;
      expect([path, headers.get("x-total-count")]).toEqual([path, String(rows.length)]);
      return rows
        .map(
          (row: { full_name?: string; repository?: { full_name: string }; name: string }) =>
            row.repository?.full_name ?? row.full_name ?? row.name,
        )
        .sort();
    };
    expect(await list("/user/repos")).toEqual(["ada/own", "org-public/open"]);
    expect(await list("/user/repos", shy)).toEqual([]);
    expect(await list("/repos/search")).toEqual(["ada/own", "org-public/open"]);
    expect(await list("/repos/search", shy)).toEqual(["ada/own", "org-public/open"]);
    expect(
      (await list("/repos/issues/search")).every((name: string) => !/limited|private|secret|shy/.test(name)),
    ).toBe(true);
    expect(await list("/user/teams")).toEqual(["Owners"]);
    expect((await api.call("GET", "/user/orgs", { as: limited })).json).toHaveLength(1);
    const [topic] = (await api.call("GET", "/topics/search?q=words", { as: limited })).json.topics;
    expect(topic.repo_count).toBe(1);
  });
});
