import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository, checkTable } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { makeKeyLine } from "#tests/support/keys";
import { cloneAndCheck, Folders, remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import { join, makeOrganization, makeTeam, namesIn } from "../../organization/make.ts";
import { type ServedGit, serveGit } from "../serve-git.ts";

let api: TestApi;
let served: ServedGit;
const folders = new Folders();
let alice: Caller;
let bob: Caller;
let carol: Caller;
let made = 0;
let name = "";
let id = 0;

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
  await makeOrganization(api, carol, "acme");
  await makeOrganization(api, carol, "secret", { visibility: "private" });
});
beforeEach(async () => {
  made += 1;
  name = `Wares-${made}`;
  id = await create({});
});
afterAll(async () => {
  await folders.remove();
  await served.stop();
  await api.stop();
});

async function create(more: object): Promise<number> {
  const body = { name, auto_init: true, description: "all sorts", ...more };
  const answer = await api.call("POST", "/user/repos", { as: alice, body });
  expect(answer.status).toBe(201);
  return answer.json.id;
}
const fork = (as: Caller | undefined, body: object = {}, path = `alice/${name}`) =>
  api.call("POST", `/repos/${path}/forks`, { as, body });
const read = (path: string, as?: Caller) => api.call("GET", `/repos/${path}`, { as });
const forksOf = (path: string, as?: Caller) => api.call("GET", `/repos/${path}/forks`, { as });
const edit = (path: string, as: Caller, body: object) => api.call("PATCH", `/repos/${path}`, { as, body });
async function checked(...ids: number[]): Promise<void> {
  for (const one of ids) expect(await checkRepository(api.forge, one)).toEqual([]);
}

describe("createFork", () => {
  it("202: has branches, description and format, and neither issues nor hooks (semantics §24.4)", async () => {
    await api.call("POST", `/repos/alice/${name}/issues`, { as: alice, body: { title: "not taken along" } });
    const source = (await read(`alice/${name}`)).json;
    const { status, json } = await fork(bob);
    expect(status).toBe(202);
    expect(json).toMatchObject({
      ...{ full_name: `bob/${name}`, fork: true, empty: false, private: false, description: "all sorts" },
      ...{ has_issues: false, has_pull_requests: true, has_releases: false, size: source.size },
      ...{ open_issues_count: 0, forks_count: 0, default_branch: source.default_branch },
      permissions: { admin: true },
      parent: { id, full_name: `alice/${name}`, parent: null, forks_count: 1 },
    });
    expect((await read(`bob/${name}`, bob)).json).toEqual(json);
    expect((await read(`alice/${name}`)).json.forks_count).toBe(1);
    expect((await forksOf(`alice/${name}`)).json.map((one: { id: number }) => one.id)).toEqual([json.id]);
    expect(namesIn(await api.call("GET", "/user/repos?limit=50", { as: bob }))).toContain(`bob/${name}`);
    await checked(id, json.id);
  });

  it.each(["sha1", "sha256"] as const)(
    "202: %s: all branches, all tags and the default branch come along; issues, hooks, keys, labels do not (semantics §24.4)",
    async (format) => {
      name = `${name}-full`;
      await create({ object_format_name: format, auto_init: false, default_branch: "trunk" });
      const own = await WorkingCopy.init(folders, format);
      await own.commit({ "a.txt": "a" });
      const made = ["branch trunk", "branch feature/x", "tag light"].map((words) => words.split(" "));
      for (const words of made) await own.git(...words);
      await own.git("tag", "-a", "-m", "told", "v1.0");
      await own.commit({ "a.txt": "b" });
      await own.git("push", "-q", "--all", served.url(`alice/${name}`, alice));
      await own.git("push", "-q", "--tags", served.url(`alice/${name}`, alice));
      await api.call("PATCH", `/repos/alice/${name}`, { as: alice, body: { default_branch: "trunk" } });
      const belongings = {
        issues: { title: "stays" },
        labels: { name: "bug", color: "aabbcc" },
        milestones: { title: "soon" },
        hooks: { type: "gitea", config: { url: "https://ci.example/", content_type: "json" } },
        keys: { title: "k", key: makeKeyLine(), read_only: true },
        branch_protections: { rule_name: "trunk" },
        tag_protections: { name_pattern: "v*", whitelist_usernames: ["alice"] },
      };
      for (const [part, body] of Object.entries(belongings)) {
        const at = `/repos/alice/${name}/${part}`;
        expect((await api.call("POST", at, { as: alice, body })).status, part).toBe(201);
        expect((await api.call("GET", at, { as: alice })).json, part).toHaveLength(1);
      }
      const { json } = await fork(bob);
      expect(json).toMatchObject({
        ...{ default_branch: "trunk", object_format_name: format, description: "all sorts" },
        ...{ open_issues_count: 0, topics: [] },
      });
      const refs = await remoteRefs(served.url(`bob/${name}`));
      expect(refs.map((line) => line.split(" ")[1])).toEqual([
        ...["refs/heads/feature/x", "refs/heads/main", "refs/heads/trunk"],
        ...["refs/tags/light", "refs/tags/v1.0"],
      ]);
      expect(refs).toEqual(await remoteRefs(served.url(`alice/${name}`)));
      const head = await own.git("ls-remote", "--symref", served.url(`bob/${name}`), "HEAD");
      expect(head.split("\n")[0]).toBe("ref: refs/heads/trunk\tHEAD");
      await cloneAndCheck(folders, served.url(`bob/${name}`));
      expect((await edit(`bob/${name}`, bob, { has_issues: true })).status).toBe(200);
      for (const part of [...Object.keys(belongings), "collaborators", "issues?state=all"]) {
        const { status, json: found } = await api.call("GET", `/repos/bob/${name}/${part}`, { as: bob });
        expect([status, found], part).toEqual([200, []]);
      }
      const first = await api.call("POST", `/repos/bob/${name}/issues`, { as: bob, body: { title: "own" } });
      expect(first.json.number).toBe(1);
      await checked(json.id);
    },
  );

  it("202: of a SHA-256 repository; clone, push to it, and clone again (B-09)", async () => {
    name = `${name}-256`;
    await create({ object_format_name: "sha256" });
    expect((await fork(bob)).json.object_format_name).toBe("sha256");
    const copy = await cloneAndCheck(folders, served.url(`bob/${name}`));
    const work = await folders.make();
    const own = new WorkingCopy(work);
    await own.git("clone", "-q", copy, ".");
    const tip = await own.commit({ "b.txt": "b\n" });
    await own.git("push", "-q", served.url(`bob/${name}`, bob), "HEAD:refs/heads/main");
    expect(await remoteRefs(served.url(`bob/${name}`))).toEqual([`${tip} refs/heads/main`]);
    expect(await remoteRefs(served.url(`alice/${name}`))).not.toEqual([`${tip} refs/heads/main`]);
    await cloneAndCheck(folders, served.url(`bob/${name}`));
  });

  it("202: to an organization, under another name; who is no owner becomes its administrator", async () => {
    const team = await makeTeam(api, carol, "acme", `builders-${made}`, {
      units_map: { "repo.code": "read" },
      can_create_org_repo: true,
    });
    await join(api, carol, team, bob);
    const { status, json } = await fork(bob, { organization: "acme", name: `Own-${made}` });
    expect([status, json.full_name, json.permissions.admin]).toEqual([202, `acme/Own-${made}`, true]);
    await checked(json.id);
  });

  it("202: of one's own repository under another name, and of one's own fork; 409: twice", async () => {
    expect((await fork(alice)).status).toBe(409);
    const first = await fork(alice, { name: `${name}-b` });
    expect(first.status).toBe(202);
    expect((await fork(alice, { name: `${name}-c` })).status).toBe(409);
    const second = await fork(alice, { name: `${name}-c` }, `alice/${name}-b`);
    expect([second.status, second.json.parent.full_name]).toEqual([202, `alice/${name}-b`]);
    expect((await fork(alice, { name: `${name}-d` }, `alice/${name}-b`)).status).toBe(409);
  });

  it("202 once: of several at the same time, whatever their names", async () => {
    const answers = await Promise.all([1, 2, 3].map((at) => fork(bob, { name: `${name}-${at}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    expect((await read(`alice/${name}`)).json.forks_count).toBe(1);
    expect((await forksOf(`alice/${name}`)).json).toHaveLength(1);
  });

  it("202: of an empty repository", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name: `${name}-e` } });
    expect((await fork(bob, {}, `alice/${name}-e`)).json).toMatchObject({ empty: true, size: 0 });
  });

  it("202: private as its source is, for callers who may read it; 404 for others, and the list hides it", async () => {
    await edit(`alice/${name}`, alice, { private: true });
    expect((await fork(bob)).status).toBe(404);
    const body = { permission: "read" };
    await api.call("PUT", `/repos/alice/${name}/collaborators/bob`, { as: alice, body });
    expect((await fork(bob)).json.private).toBe(true);
    expect((await read(`bob/${name}`, carol)).status).toBe(404);
    // The source's owner may not see it either: it is bob's.
    const seen = await forksOf(`alice/${name}`, alice);
    expect([seen.json, seen.headers.get("x-total-count")]).toEqual([[], "0"]);
    expect((await forksOf(`alice/${name}`, bob)).json).toHaveLength(1);
    await api.call("DELETE", `/repos/alice/${name}/collaborators/bob`, { as: alice });
    expect((await read(`bob/${name}`, bob)).json).toMatchObject({ fork: true, parent: null });
  });

  it("409: the name is taken; 422: the name is not valid, no such organization, or a hidden one", async () => {
    await api.call("POST", "/user/repos", { as: bob, body: { name } });
    expect((await fork(bob)).status).toBe(409);
    expect((await fork(bob, { name: "x.git" })).status).toBe(422);
    expect((await fork(bob, { organization: "nobody" })).status).toBe(422);
    expect((await fork(bob, { organization: "secret" })).status).toBe(422);
    expect((await fork(bob, { organization: "alice" })).status).toBe(422);
  });

  it("403: into an organization of others, and where the owner blocks the caller; 401: anonymous callers", async () => {
    expect((await fork(alice, { organization: "acme" })).status).toBe(403);
    expect((await fork(undefined)).status).toBe(401);
    await api.call("POST", "/orgs/acme/repos", { as: carol, body: { name } });
    await api.call("PUT", "/orgs/acme/blocks/alice", { as: carol });
    expect((await fork(alice, { name: `${name}-x` }, `acme/${name}`)).status).toBe(403);
    await api.call("DELETE", "/orgs/acme/blocks/alice", { as: carol });
  });
});

it("createFork 404 while DISABLE_FORKS is set, whatever the body (semantics §24.4)", async () => {
  const off = await makeApi({ settings: { DISABLE_FORKS: "true" } });
  try {
    const user = await off.makeUser();
    await off.call("POST", "/user/repos", { as: user, body: { name: "r" } });
    const path = `/repos/${user.name}/r/forks`;
    for (const body of [{}, { name: "a b" }, { name: 1 }]) {
      expect((await off.call("POST", path, { as: user, body })).status).toBe(404);
    }
    expect((await off.call("GET", path)).json).toEqual([]);
  } finally {
    await off.stop();
  }
});

describe("listForks", () => {
  it("200: pages when asked, counts what the caller may see", async () => {
    for (const as of [bob, carol]) await fork(as);
    const all = await forksOf(`alice/${name}`);
    expect(namesIn(all)).toEqual([`bob/${name}`, `carol/${name}`]);
    const second = await api.call("GET", `/repos/alice/${name}/forks?limit=1&page=2`);
    expect([namesIn(second), second.headers.get("x-total-count")]).toEqual([[`carol/${name}`], "2"]);
    expect((await forksOf("alice/absent")).status).toBe(404);
  });
});

describe("a fork and what it was forked from", () => {
  it("lives on when that is deleted, with all its objects, and is a fork no more", async () => {
    const forked = (await fork(bob)).json.id;
    const before = await remoteRefs(served.url(`bob/${name}`));
    await api.call("DELETE", `/repos/alice/${name}`, { as: alice });
    expect((await read(`bob/${name}`)).json).toMatchObject({ fork: false, parent: null });
    await finishJobs(api);
    expect((await read(`bob/${name}`)).json).toMatchObject({ fork: false, parent: null });
    expect(await remoteRefs(served.url(`bob/${name}`))).toEqual(before);
    await cloneAndCheck(folders, served.url(`bob/${name}`));
    await checked(forked);
    await api.call("DELETE", `/repos/bob/${name}`, { as: bob });
    await finishJobs(api);
    for (const one of [id, forked]) {
      const left = [];
      for await (const { key } of api.forge.blobs.list(`r/${one}/`)) left.push(key);
      expect(left).toEqual([]);
    }
  });

  it("counts one less when it is deleted, and can be made anew", async () => {
    await fork(bob);
    await api.call("DELETE", `/repos/bob/${name}`, { as: bob });
    expect((await read(`alice/${name}`)).json.forks_count).toBe(0);
    expect((await forksOf(`alice/${name}`)).json).toEqual([]);
    expect((await fork(bob)).status).toBe(202);
  });

  it("follows its visibility, down to forks of forks, and can't have another", async () => {
    await fork(bob);
    await fork(carol, {}, `bob/${name}`);
    expect((await edit(`bob/${name}`, bob, { private: true })).json.private).toBe(false);
    await edit(`alice/${name}`, alice, { private: true });
    expect((await read(`bob/${name}`, carol)).status).toBe(404);
    await finishJobs(api);
    expect((await read(`carol/${name}`, carol)).json).toMatchObject({ private: true, parent: null });
    await edit(`alice/${name}`, alice, { private: false });
    await finishJobs(api);
    expect((await read(`carol/${name}`)).json).toMatchObject({ private: false, fork: true });
  });

  it("stays its fork when it changes hands", async () => {
    const forked = (await fork(bob)).json.id;
    const boss = await api.makeUser({ isAdmin: true });
    const body = { new_owner: "carol" };
    expect((await api.call("POST", `/repos/bob/${name}/transfer`, { as: boss, body })).status).toBe(202);
    expect(namesIn(await forksOf(`alice/${name}`))).toEqual([`carol/${name}`]);
    expect((await fork(carol, { name: `${name}-2` })).status).toBe(409);
    expect((await fork(bob)).status).toBe(202);
    await api.call("DELETE", `/repos/carol/${name}`, { as: carol });
    expect((await read(`alice/${name}`)).json.forks_count).toBe(1);
    await finishJobs(api);
    await checked(id, forked);
  });

  it("202 or 404, and nothing is left: a fork that meets the deletion of its source", async () => {
    const [forked, removed] = await Promise.all([
      fork(bob),
      api.call("DELETE", `/repos/alice/${name}`, { as: alice }),
    ]);
    expect(removed.status).toBe(204);
    expect([202, 404, 409]).toContain(forked.status);
    await finishJobs(api);
    const { status } = await read(`bob/${name}`);
    expect(status).toBe(forked.status === 202 ? 200 : 404);
    if (status === 200) await cloneAndCheck(folders, served.url(`bob/${name}`));
  });
});

it("after all of it the whole table holds together", async () => {
  await finishJobs(api);
  const findings = [];
  for await (const finding of checkTable(api.forge)) findings.push(finding);
  expect(findings.filter(({ invariant }) => invariant !== 20)).toEqual([]);
});
