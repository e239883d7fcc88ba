import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quotaSubjects } from "#core/quota/subject";
import { noteRepositoryActivity } from "#core/repository/listing/index-writes";
import { sendFile } from "#tests/api/attachment/make";
import { join, makeOrganization, makeRepository as makeShared, makeTeam } from "#tests/api/organization/make";
import { tableRequests } from "#tests/api/repository/costs";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { findingsOf } from "#tests/support/findings";
import { askRegistry } from "../../packages/registry.ts";
import { confirmedArtifact, hold, publishFile, sizesOf, unused } from "./make.ts";

let api: TestApi;
let boss: Caller;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: { QUOTA_DEFAULT_GROUPS: "standard,absent", QUOTA_DEFAULT_TOTAL: "1000" } });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await makeOrganization(api, alice, "acme");
  await join(api, alice, await makeTeam(api, alice, "acme", "readers"), bob);
});
afterAll(() => api.stop());

const get = (path: string, as: Caller | undefined) => api.call("GET", path, { as });
const make = async (method: string, path: string, as: Caller, body?: object): Promise<JsonValue> => {
  const answer = await api.call(method, path, body === undefined ? { as } : { as, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
};
const assign = (name: string, groups: string[]) =>
  make("POST", `/admin/users/${name}/quota/groups`, boss, { groups });
const isWithin = async (as: Caller, subject: string, path = "/user/quota") =>
  (await get(`${path}/check?subject=${subject}`, as)).json;

/** An issue with a comment; answers the comment's id. */
async function openWithComment(path: string, as: Caller): Promise<number> {
  await make("POST", `${path}/issues`, as, { title: "An issue" });
  return (await make("POST", `${path}/issues/1/comments`, as, { body: "words" })).id;
}

// The first here, as it has the whole table checked: what the others make would be read with it.
describe("userListQuotaArtifacts, userListQuotaPackages", () => {
  it("200: the largest first, with what each is (RES-QuotaUsedArtifact, RES-QuotaUsedPackage, OPQ-quota.limit, semantics §18.4); 401: nobody", async () => {
    const hana = await api.makeUser({ name: "hana" });
    const repositoryId = await makeRepository(api, hana, "r");
    await confirmedArtifact(api, repositoryId, "logs", "0123");
    await confirmedArtifact(api, repositoryId, "build", "012345");
    const ask = askRegistry(api);
    for (const [version, body] of [
      ["1", "01"],
      ["2", "012"],
    ] as const) {
      expect((await ask("PUT", `/hana/generic/tool/${version}/f`, { as: hana, body })).status).toBe(201);
    }
    const root = api.forge.config.rootUrl;
    const artifacts = await get("/user/quota/artifacts", hana);
    expect(artifacts.json).toEqual([
      { name: "build", size: 6, html_url: `${root}/hana/r/actions/runs/7/artifacts/build` },
      { name: "logs", size: 4, html_url: `${root}/hana/r/actions/runs/7/artifacts/logs` },
    ]);
    const packages = await get("/user/quota/packages?limit=1", hana);
    expect(packages.json).toEqual([
      {
        name: "tool",
        type: "generic",
        version: "2",
        size: 3,
        html_url: expect.stringMatching(/\/hana\/.*tool/),
      },
    ]);
    expect([artifacts, packages].map(({ headers }) => headers.get("x-total-count"))).toEqual(["2", "2"]);
    expect((await sizesOf(api, hana)).assets).toMatchObject({ artifacts: 10, packages: { all: 5 } });
    const found = (await findingsOf(api)).filter(({ invariant }) => invariant !== 18); // others only claim to hold
    expect(found).toEqual([]);
    for (const list of ["artifacts", "packages"]) {
      expect((await get(`/user/quota/${list}`, undefined)).status).toBe(401);
    }
  });
});

describe("userGetQuota", () => {
  it("200: nothing used, and no groups; 401: nobody", async () => {
    expect((await get("/user/quota", bob)).json).toEqual({ used: { size: unused }, groups: [] });
    expect((await get("/user/quota", undefined)).status).toBe(401);
  });

  it("200: packs, attachments and assets, whoever uploads; visibility and deletion move them (QM-1, QM-2)", async () => {
    const path = "/repos/alice/counted";
    await makeRepository(api, alice, "counted");
    await pushFiles(api, alice, "counted", { files: { f: "1" } });
    const commentId = await openWithComment(path, bob);
    await sendFile(api, `${path}/issues/1/assets`, bob, { bytes: "0123456789" });
    await sendFile(api, `${path}/issues/comments/${commentId}/assets`, bob, { bytes: "01234" });
    await publishFile(api, alice, path, "0123456");
    const used = await sizesOf(api, alice);
    const { size } = (await get(path, alice)).json;
    expect(Math.ceil(used.repos.public / 1024)).toBe(size);
    expect(used).toEqual({
      ...unused,
      repos: { public: expect.any(Number), private: 0 },
      assets: { ...unused.assets, attachments: { issues: 15, releases: 7 } },
    });
    expect(await sizesOf(api, bob)).toEqual(unused);
    await make("PATCH", path, alice, { private: true });
    expect((await sizesOf(api, alice)).repos).toEqual({ public: 0, private: used.repos.public });
    expect(await findingsOf(api)).toEqual([]);
    await make("DELETE", path, alice);
    expect(await sizesOf(api, alice)).toEqual(unused);
  });

  it("200: the rules of the groups without their names; the administrator sees the names (RES-QuotaInfo, semantics §18.4)", async () => {
    const rules = [
      { name: "much", limit: 5000, subjects: ["size:all"] },
      { name: "odd", limit: -1 },
    ];
    await make("POST", "/admin/quota/groups", boss, { name: "named", rules });
    await assign("bob", ["named"]);
    expect((await get("/user/quota", bob)).json.groups).toEqual([
      { rules: [{ limit: 5000, subjects: ["size:all"] }, { limit: -1 }] },
    ]);
    expect((await get("/admin/users/bob/quota", boss)).json).toEqual({
      used: { size: unused },
      groups: [{ name: "named", rules }],
    });
    await assign("bob", []);
  });

  it("counts the bytes that the size of a repository shows, and by which lists sort (OPX-userRepos, semantics §18.6)", async () => {
    const ivan = await api.makeUser({ name: "ivan" });
    for (const [name, lfs] of Object.entries({ small: 2000, large: 5000, none: 0 })) {
      const repositoryId = await makeRepository(api, ivan, name);
      await hold(api, { ownerId: ivan.user.id, repositoryId }, { lfs });
      await noteRepositoryActivity(api.forge, repositoryId);
    }
    const { json } = await get("/user/repos?order_by=size", ivan);
    expect(json.map((one: JsonValue) => [one.name, one.size])).toEqual([
      ["large", 5],
      ["small", 2],
      ["none", 0],
    ]);
    expect((await sizesOf(api, ivan)).git.LFS).toBe(7000);
  });

  it("asks the table for at most 3 things, as the check does, whatever the owner holds", async () => {
    const carol = await api.makeUser({ name: "carol" });
    for (let at = 0; at < 40; at += 1) {
      const repositoryId = await makeRepository(api, carol, `r${at}`);
      await hold(
        api,
        { ownerId: carol.user.id, repositoryId },
        { publicRepositories: 10, lfs: 1, artifacts: 3 },
      );
    }
    const answers = [await get("/user/quota", carol), await get("/user/quota/check?subject=size:all", carol)];
    expect(answers[0]?.json.used.size).toMatchObject({ repos: { public: 400 }, git: { LFS: 40 } });
    expect(answers.map(tableRequests)).toEqual([3, 3]); // one of them finds the caller
  });
});

describe("userCheckQuota", () => {
  it("200: by the total while no default group exists, then by that group, and by no other once there is one (QM-6, QM-7, LIM-4d, LIM-9, D-QUOTA-EDGE)", async () => {
    const dora = await api.makeUser({ name: "dora" });
    const holder = { ownerId: dora.user.id, repositoryId: await makeRepository(api, dora, "r") };
    await hold(api, holder, { lfs: 999 });
    expect(await isWithin(dora, "size:all")).toBe(true);
    await hold(api, holder, { lfs: 1 });
    expect(await isWithin(dora, "size:all")).toBe(false); // strictly below (D-QUOTA-EDGE)
    const rules = [{ name: "lfs only", limit: 500, subjects: ["size:git:lfs"] }];
    await make("POST", "/admin/quota/groups", boss, { name: "standard", rules });
    expect(await isWithin(dora, "size:git:lfs")).toBe(false);
    expect(await isWithin(dora, "size:assets:all")).toBe(true);
    await make("POST", "/admin/quota/groups", boss, { name: "empty" });
    await assign("dora", ["empty"]);
    expect(await isWithin(dora, "size:git:lfs")).toBe(true); // a group without rules has nothing to say
    await make("DELETE", "/admin/quota/groups/empty", boss);
    expect(await isWithin(dora, "size:git:lfs")).toBe(false);
    await make("PATCH", "/admin/quota/rules/lfs%20only", boss, { limit: 0 });
    await hold(api, holder, { lfs: -1000 });
    expect(await isWithin(dora, "size:git:lfs")).toBe(false); // 0 never passes
    await make("PATCH", "/admin/quota/rules/lfs%20only", boss, { limit: -1 });
    expect(await isWithin(dora, "size:git:lfs")).toBe(true);
    await make("DELETE", "/admin/quota/groups/standard", boss);
  });

  it("200: the worked case of two rules (LIM-5, semantics §18.6)", async () => {
    const erik = await api.makeUser({ name: "erik" });
    const holder = { ownerId: erik.user.id, repositoryId: await makeRepository(api, erik, "r") };
    const [releases, packages] = ["size:assets:attachments:releases", "size:assets:packages:all"];
    const rules = [
      { name: "A", limit: 1000, subjects: [releases, packages, "size:git:lfs"] },
      { name: "B", limit: 100, subjects: [packages] },
    ];
    await make("POST", "/admin/quota/groups", boss, { name: "two", rules });
    await assign("erik", ["two"]);
    const within = async () => [await isWithin(erik, releases), await isWithin(erik, packages)];
    await hold(api, holder, { packages: 50, releaseAttachments: 500 });
    expect(await within()).toEqual([true, true]);
    await hold(api, holder, { packages: 100 });
    expect([...(await within()), await isWithin(erik, "size:all")]).toEqual([true, false, false]);
    await hold(api, holder, { releaseAttachments: 1000 });
    expect(await within()).toEqual([false, false]);
  });

  it("200 for each subject, and always true for the wiki and none; 422: none, an unknown one, an empty one (OPQ-quota.subject)", async () => {
    for (const subject of quotaSubjects) expect(await isWithin(bob, subject)).toBe(true);
    for (const query of ["", "?subject=", "?subject=size:bogus", "?subject=SIZE:ALL"]) {
      expect((await get(`/user/quota/check${query}`, bob)).status).toBe(422);
    }
    expect((await get("/user/quota/check?subject=size:all", undefined)).status).toBe(401);
  });

  it("200 while the rules are deleted and written anew: all of a change or nothing of it", async () => {
    const rules = [{ name: "limit", limit: 0, subjects: ["size:all"] }];
    await make("POST", "/admin/quota/groups", boss, { name: "racing", rules });
    await assign("bob", ["racing"]);
    const change = async () => {
      await make("DELETE", "/admin/quota/rules/limit", boss);
      await make("DELETE", "/admin/quota/groups/racing", boss);
    };
    const asked = Array.from({ length: 10 }, () => get("/user/quota/check?subject=size:all", bob));
    const answers = await Promise.all([...asked, change()]);
    expect(answers.slice(0, 10).map((one) => (one as { status: number }).status)).toEqual(
      Array(10).fill(200),
    );
    expect(await isWithin(bob, "size:all")).toBe(true);
  });
});

describe("userListQuotaAttachments", () => {
  it("200: of all repositories, the largest first, in pages, with what each is on (RES-QuotaUsedAttachment, OPQ-quota.page, OPQ-quota.limit, semantics §18.4)", async () => {
    const finn = await api.makeUser({ name: "finn" });
    for (const name of ["one", "two"]) await makeRepository(api, finn, name);
    await pushFiles(api, finn, "two", { files: { f: "1" } });
    const commentId = await openWithComment("/repos/finn/one", finn);
    const onIssue = (await sendFile(api, "/repos/finn/one/issues/1/assets", bob, { bytes: "0123" })).json;
    expect(onIssue.message).toMatch(/author/); // of an issue its author and writers
    const mine = (await sendFile(api, "/repos/finn/one/issues/1/assets", finn, { bytes: "0123" })).json;
    const path = `/repos/finn/one/issues/comments/${commentId}`;
    const onComment = (await sendFile(api, `${path}/assets`, finn, { name: "c.txt", bytes: "012345" })).json;
    const { release, asset } = await publishFile(api, finn, "/repos/finn/two", "01234");
    const listed = await get("/user/quota/attachments", finn);
    const root = api.forge.config.rootUrl;
    const at = (end: string) => `${root}/api/v1/repos/finn/${end}`;
    expect(listed.json).toEqual([
      {
        ...{ name: "c.txt", size: 6, api_url: at(`one/issues/comments/${commentId}/assets/${onComment.id}`) },
        contained_in: {
          api_url: at(`one/issues/comments/${commentId}`),
          html_url: `${root}/finn/one/issues/1#issuecomment-${commentId}`,
        },
      },
      {
        ...{ name: "5.bin", size: 5, api_url: at(`two/releases/${release.id}/assets/${asset.id}`) },
        contained_in: {
          api_url: at(`two/releases/${release.id}`),
          html_url: `${root}/finn/two/releases/tag/v1`,
        },
      },
      {
        ...{ name: "notes.txt", size: 4, api_url: at(`one/issues/1/assets/${mine.id}`) },
        contained_in: { api_url: at("one/issues/1"), html_url: `${root}/finn/one/issues/1` },
      },
    ]);
    expect(listed.headers.get("x-total-count")).toBe("3");
    const second = await get("/user/quota/attachments?page=2&limit=1", finn);
    expect([second.json[0].name, second.json.length]).toEqual(["5.bin", 1]);
    expect(second.headers.get("link")).toContain("page=3");
    expect((await get("/user/quota/attachments?page=2147483648", finn)).json).toEqual([]);
    const gone = await api.call("DELETE", `/repos/finn/two/releases/${release.id}`, { as: finn });
    expect(gone.status).toBe(204);
    const left = await get("/user/quota/attachments", finn);
    expect([left.json.length, left.headers.get("x-total-count")]).toEqual([2, "2"]);
  });

  it("200: a token limited to public things learns of no private repository", async () => {
    const gina = await api.makeUser({ name: "gina" });
    await makeRepository(api, gina, "secret", { private: true });
    await pushFiles(api, gina, "secret", { files: { f: "1" } });
    await publishFile(api, gina, "/repos/gina/secret", "0123");
    const open = { ...gina, token: await api.makeToken(gina, ["public-only", "read:user"]) };
    const answers = [await get("/user/quota/attachments", gina), await get("/user/quota/attachments", open)];
    expect(answers.map(({ json }) => json.length)).toEqual([1, 0]);
    expect(answers.map(({ headers }) => headers.get("x-total-count"))).toEqual(["1", "0"]);
  });

  it("401: nobody", async () => {
    expect((await get("/user/quota/attachments", undefined)).status).toBe(401);
  });
});

describe("userGetQuota, userCheckQuota, userListQuotaAttachments, userListQuotaArtifacts, userListQuotaPackages", () => {
  it.each(["", "/check?subject=size:all", "/attachments", "/artifacts", "/packages"])(
    "403: a token without the scope; 200 with it, of the caller alone: /user/quota%s (OPX-quotaScope)",
    async (end) => {
      const tokenFor = async (scope: string) => ({ ...bob, token: await api.makeToken(bob, [scope]) });
      expect((await get(`/user/quota${end}`, await tokenFor("read:repository"))).status).toBe(403);
      expect((await get(`/user/quota${end}`, await tokenFor("read:user"))).status).toBe(200);
    },
  );
});

describe("orgGetQuota, orgCheckQuota, orgListQuotaAttachments, orgListQuotaArtifacts, orgListQuotaPackages", () => {
  const paths = ["", "/check?subject=size:all", "/attachments", "/artifacts", "/packages"].map(
    (end) => `/orgs/acme/quota${end}`,
  );

  it("200: what is uploaded by others to its repositories (QM-1, OPX-quotaScope); groups of its own", async () => {
    await makeShared(api, alice, "acme", "shared");
    await make("POST", "/repos/acme/shared/issues", bob, { title: "An issue" });
    await sendFile(api, "/repos/acme/shared/issues/1/assets", bob, { bytes: "0123456789" });
    const { assets } = await sizesOf(api, alice, "/orgs/acme/quota");
    expect(assets.attachments).toEqual({ issues: 10, releases: 0 });
    expect((await sizesOf(api, bob)).assets).toEqual(unused.assets);
    const rules = [{ name: "ten", limit: 10, subjects: ["size:assets:all"] }];
    await make("POST", "/admin/quota/groups", boss, { name: "ours", rules });
    await assign("acme", ["ours"]);
    expect(await isWithin(alice, "size:assets:all", "/orgs/acme/quota")).toBe(false);
    const later = await sendFile(api, "/repos/acme/shared/issues/1/assets", bob, { bytes: "0123456789" });
    expect(later.status).toBe(201); // nothing is refused for quota (D-QUOTA-SERVE, GEN-4)
    expect((await get("/orgs/acme/quota/attachments", alice)).json.length).toBe(2);
    expect((await get("/admin/users/acme/quota", boss)).json.groups).toEqual([{ name: "ours", rules }]);
  });

  it.each(paths)("401, 403 for members, 200 for administrators, 404 and 422: %s", async (path) => {
    expect((await get(path, undefined)).status).toBe(401);
    expect((await get(path, bob)).status).toBe(403);
    expect([(await get(path, alice)).status, (await get(path, boss)).status]).toEqual([200, 200]);
    expect((await get(path.replace("acme", "nobody"), alice)).status).toBe(404);
    expect((await get(path.replace("acme", "bob"), alice)).status).toBe(404);
    if (path.includes("check")) expect((await get(path.replace("size:all", "x"), alice)).status).toBe(422);
  });
});

describe("adminGetUserQuota", () => {
  it("401, 403, 404", async () => {
    expect((await get("/admin/users/bob/quota", undefined)).status).toBe(401);
    expect((await get("/admin/users/bob/quota", bob)).status).toBe(403);
    expect((await get("/admin/users/nobody/quota", boss)).status).toBe(404);
  });
});
