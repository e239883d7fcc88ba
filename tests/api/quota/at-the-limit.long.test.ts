import { afterAll, beforeAll, expect, it } from "vitest";
import { sendFile } from "#tests/api/attachment/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { findingsOf } from "#tests/support/findings";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { askRegistry } from "../../packages/registry.ts";
import { confirmedArtifact, publishFile, sizesOf } from "./make.ts";

let api: TestApi;
let boss: Caller;
let owner: Caller;
let repositoryId = 0;

beforeAll(async () => {
  api = await makeApi({ settings: { LIMIT_TOTAL_OWNER_COUNT: "4" } });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  owner = await api.makeUser({ name: "olga" });
  repositoryId = await makeRepository(api, owner, "r");
  await pushFiles(api, owner, "r", { files: { f: "1" } });
  await call("POST", "/repos/olga/r/issues", { title: "An issue" });
  for (const [name, subject] of Object.entries(subjects)) {
    const rules = [{ name, limit: 25, subjects: [subject] }];
    await call("POST", "/admin/quota/groups", { name, rules }, boss);
  }
});
afterAll(() => api.stop());

async function call(method: string, path: string, body: object, as = owner) {
  const answer = await api.call(method, path, { as, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
}

const subjects = {
  packages: "size:assets:packages:all",
  issues: "size:assets:attachments:issues",
  releases: "size:assets:attachments:releases",
  artifacts: "size:assets:artifacts",
};
type Kind = keyof typeof subjects;

const ten = "0123456789";
/** Uploads ten bytes of a kind under a name. */
const upload: Readonly<Record<Kind, (name: string) => Promise<unknown>>> = {
  packages: (name) => askRegistry(api)("PUT", `/olga/generic/tool/${name}/f`, { as: owner, body: ten }),
  issues: (name) =>
    sendFile(api, "/repos/olga/r/issues/1/assets", owner, { name: `${name}.txt`, bytes: ten }),
  releases: (name) => publishFile(api, owner, "/repos/olga/r", ten, name),
  artifacts: (name) => confirmedArtifact(api, repositoryId, name, ten),
};

async function usedBytes(kind: Kind): Promise<number> {
  const { assets } = await sizesOf(api, owner);
  const { attachments, artifacts, packages } = assets;
  return { packages: packages.all, artifacts, ...attachments }[kind];
}

const isWithin = async (kind: Kind) =>
  (await api.call("GET", `/user/quota/check?subject=${subjects[kind]}`, { as: owner })).json;

it.each(Object.keys(subjects) as Kind[])(
  "%s: two uploads at once at the limit are both taken and counted once each, and the check says so (QM-1, D-QUOTA-SERVE)",
  async (kind) => {
    await call("POST", "/admin/users/olga/quota/groups", { groups: [kind] }, boss);
    await upload[kind]("first");
    expect([await usedBytes(kind), await isWithin(kind)]).toEqual([10, true]);
    await Promise.all([upload[kind]("second"), upload[kind]("third")]);
    expect([await usedBytes(kind), await isWithin(kind)]).toEqual([30, false]);
    // The same once more, twice at once: a package and an artifact have each name once.
    await Promise.allSettled([upload[kind]("fourth"), upload[kind]("fourth")]);
    const isNamed = kind !== "issues";
    expect(await usedBytes(kind)).toBe(isNamed ? 40 : 50);
  },
);

it("a push and a fork beyond every limit are taken and counted (GEN-4, D-QUOTA-SERVE, semantics §18.6)", async () => {
  const rules = [{ name: "nothing", limit: 0, subjects: ["size:all"] }];
  await call("POST", "/admin/quota/groups", { name: "nobody", rules }, boss);
  await call("POST", "/admin/users/olga/quota/groups", { groups: ["nobody"] }, boss);
  expect((await api.call("GET", "/user/quota/check?subject=size:all", { as: owner })).json).toBe(false);
  const { repos } = await sizesOf(api, owner);
  await pushFiles(api, owner, "r", { files: { g: "2" } });
  const pushed = (await sizesOf(api, owner)).repos.public;
  expect(pushed).toBeGreaterThan(repos.public);
  await call("POST", "/orgs", { username: "acme" });
  await call("POST", "/repos/olga/r/forks", { organization: "acme" });
  expect((await sizesOf(api, owner, "/orgs/acme/quota")).repos.public).toBe(pushed);
});

it("two publications at once that both find room for one are exact in number and bytes; the next one is refused (semantics §57)", async () => {
  const put = async (path: string) =>
    (await askRegistry(api)("PUT", `/olga/generic/${path}`, { as: owner, body: ten })).status;
  const count = async () => Number((await api.call("GET", "/packages/olga")).headers.get("x-total-count"));
  expect([await count(), await put("tool/fifth/f")]).toEqual([4, 403]);
  await api.call("DELETE", "/packages/olga/generic/tool/fourth", { as: owner });
  const statuses = await Promise.all([put("a/1/f"), put("b/1/f")]);
  const taken = statuses.filter((status) => status === 201).length;
  expect([201, 403]).toEqual(expect.arrayContaining(statuses));
  expect(taken).toBeGreaterThanOrEqual(1);
  expect([await count(), await usedBytes("packages")]).toEqual([3 + taken, 10 * (3 + taken)]);
  expect(await put("c/1/f")).toBe(403);
});

it("uploads that are killed between their writes count when they are there, and not before (QM-2)", async () => {
  const before = await usedBytes("issues");
  const listed = async () => {
    const { headers } = await api.call("GET", "/user/quota/attachments", { as: owner });
    return Number(headers.get("x-total-count"));
  };
  const there = await listed();
  await killedAtEach(
    api,
    (round) => upload.issues(`killed-${round}`),
    async () => expect(await usedBytes("issues")).toBe(before + 10 * ((await listed()) - there)),
  );
  expect((await findingsOf(api)).filter(({ invariant }) => [18, 43, 44].includes(invariant))).toEqual([]);
});
