import { describe, expect, it } from "vitest";
import { makeApi } from "#tests/support/api";
import { cloneAndCheck, remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import { join, makeTeam, namesIn } from "../../organization/make.ts";
import {
  alice,
  api,
  bob,
  carol,
  checked,
  createAnother,
  edit,
  folders,
  fork,
  forksOf,
  id,
  made,
  name,
  read,
  served,
  useForks,
} from "./forks-world.ts";

useForks();

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

  it("202: of a SHA-256 repository; clone, push to it, and clone again (B-09)", async () => {
    await createAnother("256", { object_format_name: "sha256" });
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
  it("counts one less when it is deleted, and can be made anew", async () => {
    await fork(bob);
    await api.call("DELETE", `/repos/bob/${name}`, { as: bob });
    expect((await read(`alice/${name}`)).json.forks_count).toBe(0);
    expect((await forksOf(`alice/${name}`)).json).toEqual([]);
    expect((await fork(bob)).status).toBe(202);
  });
});
