import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { checkTable } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { join, makeOrganization, makeRepository, makeTeam, namesIn } from "../organization/make.ts";

/** A user's stars, watches and assignments on repositories end with the rights that they need (semantics §3.6, §25). */
let api: TestApi;
let alice: Caller;
let made = 0;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, alice, "acme");
  await makeRepository(api, alice, "acme", "secret", { private: true });
  await makeRepository(api, alice, "acme", "open");
  await makeOrganization(api, alice, "cloak", { visibility: "private" });
  await makeRepository(api, alice, "cloak", "dagger");
});
afterAll(() => api.stop());

const call = async (method: string, path: string, as: Caller, body?: object) => {
  const answer = await api.call(method, path, { as, ...defined({ body }) });
  expect(answer.status, `${method} ${path} ${JSON.stringify(answer.json)}`).toBeLessThan(300);
  return answer;
};

/** A user who stars, watches and is assigned to something in each of these repositories. */
async function engage(who: Caller, repositories: readonly string[]): Promise<void> {
  for (const path of repositories) {
    await call("PUT", `/user/starred/${path}`, who);
    await call("PUT", `/repos/${path}/subscription`, who);
    await call("POST", `/repos/${path}/issues`, alice, { title: who.name, assignees: [who.name] });
  }
}

/** In which of these ways a user still stands at a repository. */
async function tracesOf(who: Caller, path: string): Promise<string[]> {
  const lists = { star: "stargazers", watch: "subscribers" };
  const marks = await Promise.all(
    Object.entries(lists).map(async ([mark, list]) => {
      const names = namesIn(await call("GET", `/repos/${path}/${list}`, alice));
      return names.includes(who.name) ? [mark] : [];
    }),
  );
  const { json } = await call("GET", `/repos/${path}/issues?assigned_by=${who.name}`, alice);
  return [...marks.flat(), ...(json.length > 0 ? ["assignment"] : [])];
}

async function makeMember(team: number): Promise<Caller> {
  made += 1;
  const member = await api.makeUser({ name: `member-${made}` });
  await join(api, alice, team, member);
  return member;
}

const writers = { permission: "write", units: ["repo.code", "repo.issues"], includes_all_repositories: true };
const all = ["star", "watch", "assignment"];

describe("a user who leaves a team keeps only things that they may see", () => {
  it.each([
    ["orgRemoveTeamMember", (team: number, name: string) => `/teams/${team}/members/${name}`],
    ["orgDeleteMember", (_team: number, name: string) => `/orgs/acme/members/${name}`],
    ["orgDeleteTeam", (team: number, _name: string) => `/teams/${team}`],
  ])("by %s", async (operation, pathOf) => {
    const team = await makeTeam(api, alice, "acme", operation, writers);
    const member = await makeMember(team);
    await engage(member, ["acme/secret", "acme/open"]);
    await call("DELETE", pathOf(team, member.name), alice);
    await finishJobs(api);
    expect(await tracesOf(member, "acme/secret")).toEqual([]);
    expect(await tracesOf(member, "acme/open")).toEqual(all);
  });

  it("also when only the organization is hidden from them", async () => {
    const member = await makeMember(await makeTeam(api, alice, "cloak", "crew", writers));
    await engage(member, ["cloak/dagger"]);
    await call("DELETE", `/orgs/cloak/members/${member.name}`, alice);
    await finishJobs(api);
    expect(await tracesOf(member, "cloak/dagger")).toEqual([]);
  });

  it("and everything as long as another team lets them", async () => {
    const member = await makeMember(await makeTeam(api, alice, "acme", "stays", writers));
    const second = await makeTeam(api, alice, "acme", "second", writers);
    await join(api, alice, second, member);
    await engage(member, ["acme/secret"]);
    await call("DELETE", `/teams/${second}/members/${member.name}`, alice);
    await finishJobs(api);
    expect(await tracesOf(member, "acme/secret")).toEqual(all);
  });
});

describe("repoDeleteCollaborator", () => {
  it.each([
    ["a private repository", true, []],
    ["a public one, which they still see", false, ["star", "watch"]],
  ])("takes them off the issues of %s, and of no other", async (_which, isPrivate, left) => {
    made += 1;
    const helper = await api.makeUser({ name: `helper-${made}` });
    const names = [`left-${made}`, `kept-${made}`];
    for (const name of names) {
      await call("POST", "/user/repos", alice, { name, private: isPrivate });
      await call("PUT", `/repos/alice/${name}/collaborators/${helper.name}`, alice, {});
    }
    const [gone, kept] = names.map((name) => `alice/${name}`) as [string, string];
    await engage(helper, [gone, kept]);
    await call("DELETE", `/repos/${gone}/collaborators/${helper.name}`, alice);
    await finishJobs(api);
    expect(await tracesOf(helper, gone)).toEqual(left);
    expect(await tracesOf(helper, kept)).toEqual(all);
  });

  it("leaves the table as checks want it", async () => {
    const findings = [];
    for await (const finding of checkTable(api.forge)) findings.push(finding);
    expect(findings).toEqual([]);
  });
});
