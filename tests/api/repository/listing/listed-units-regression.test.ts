import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { setRepository } from "#tests/support/set-listed";
import { join, makeOrganization, makeRepository, makeTeam } from "../../organization/make.ts";

/**
 * A user whose teams give them none of the units that a repository has enabled does not see it: no list may count it,
 * and nobody may probe for its topics and words.
 */
let api: TestApi;
let alice: Caller;
let carol: Caller;
let boss: Caller;
let team = 0;
beforeAll(async () => {
  api = await makeApi();
  [alice, carol, boss] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "carol" }),
    await api.makeUser({ name: "boss", isAdmin: true }),
  ];
  await makeOrganization(api, alice, "acme");
  const issuesAlone = { permission: "write", units_map: { "repo.issues": "write" } };
  team = await makeTeam(api, alice, "acme", "triage", issuesAlone);
  await join(api, alice, team, carol);
});
afterAll(() => api.stop());

/** Names of the rows of a list (`{count}` of topics): as many as it counts. */
async function listed(path: string, as: Caller | undefined = carol): Promise<string[]> {
  const { status, json, headers, text } = await api.call("GET", path, { as });
  expect(status, text).toBe(200);
  const rows: { full_name?: string; topic_name?: string; repo_count?: number; title?: string }[] =
    json.data ?? json.topics ?? json;
  const total = headers.get("x-total-count");
  expect(Number(total), path).toBe(rows.length);
  return rows.map((row) => row.full_name ?? row.title ?? `${row.topic_name} ${row.repo_count}`);
}

const statusOf = async (path: string, as: Caller) => (await api.call("GET", path, { as })).status;
const edit = (name: string, body: object) => api.call("PATCH", `/repos/acme/${name}`, { as: alice, body });

describe("lists for a member of a team with one unit (B-18)", () => {
  /** A private repository that the team was given, with a topic, a fork's parent, an issue, and carol's star and watch. */
  async function makeShown(name: string) {
    const { id } = await makeRepository(api, alice, "acme", name, {
      private: true,
      description: `${name}-words`,
    });
    await api.call("PUT", `/teams/${team}/repos/acme/${name}`, { as: alice });
    await api.call("PUT", `/repos/acme/${name}/topics`, { as: alice, body: { topics: [`${name}-topic`] } });
    await api.call("POST", `/repos/acme/${name}/issues`, { as: carol, body: { title: `${name}-issue` } });
    for (const path of [`/user/starred/acme/${name}`, `/repos/acme/${name}/subscription`])
      expect((await api.call("PUT", path, { as: carol })).status).toBeLessThan(300);
    return id as number;
  }

  describe("each list", () => {
    const lists = [
      ["/repos/search?q=lim", "acme/lim"],
      ["/repos/search?q=lim-wor&includeDesc=true", "acme/lim"],
      ["/repos/search?q=lim-topic&topic=true", "acme/lim"],
      ["/repos/search?uid=CAROL&q=lim", "acme/lim"],
      ["/repos/search?team_id=TEAM&q=lim", "acme/lim"],
      ["/repos/search?starredBy=CAROL&q=lim", "acme/lim"],
      ["/topics/search?q=lim", "lim-topic 1"],
      ["/repos/issues/search?q=lim", "lim-issue"],
      ["/repos/issues/search?q=lim&created=true", "lim-issue"],
      ["/user/starred", "acme/lim"],
      ["/user/subscriptions", "acme/lim"],
      ["/user/repos", "acme/lim"],
      ["/user/repos?order_by=size", "acme/lim"],
      ["/orgs/acme/repos", "acme/lim"],
      ["/users/acme/repos", "acme/lim"],
      ["/teams/TEAM/repos", "acme/lim"],
    ] as const;
    /** What each list showed while the unit was enabled, while it was disabled, and enabled again. */
    const shown = new Map<string, string[][]>(lists.map(([list]) => [list, []]));
    const look = async () => {
      for (const [list] of lists) {
        const path = list.replace("CAROL", `${carol.user.id}`).replace("TEAM", `${team}`);
        shown.get(list)?.push(await listed(path));
      }
    };

    beforeAll(async () => {
      await makeShown("lim");
      await look();
      expect((await edit("lim", { has_issues: false })).status).toBe(200);
      expect(await statusOf("/repos/acme/lim", carol)).toBe(404);
      await look();
      expect((await edit("lim", { has_issues: true })).status).toBe(200);
      await look();
      await api.call("DELETE", "/repos/acme/lim", { as: alice });
    });

    it.each(lists)("%s counts what it shows: nothing once the unit is disabled", (list, row) => {
      expect(shown.get(list)).toEqual([[row], [], [row]]);
    });
  });

  it("who is in it besides sees it: its owners, collaborators, administrators; a public one everybody", async () => {
    await makeShown("both");
    await edit("both", { has_issues: false });
    for (const as of [alice, boss]) expect(await listed("/repos/search?q=both", as)).toEqual(["acme/both"]);
    await api.call("PUT", "/repos/acme/both/collaborators/carol", {
      as: alice,
      body: { permission: "read" },
    });
    for (const path of ["/repos/search?q=both", "/user/repos", "/orgs/acme/repos", `/teams/${team}/repos`])
      expect(await listed(path)).toEqual(["acme/both"]);
    await api.call("DELETE", "/repos/acme/both/collaborators/carol", { as: alice });
    expect(await listed("/orgs/acme/repos")).toEqual([]);
    await edit("both", { private: false });
    for (const path of ["/repos/search?q=both", "/user/repos", "/orgs/acme/repos", `/teams/${team}/repos`])
      expect(await listed(path)).toEqual(["acme/both"]);
    expect(await listed("/repos/search?q=both", undefined)).toEqual(["acme/both"]);
    await api.call("DELETE", "/repos/acme/both", { as: alice });
  });

  it("nothing while the installation does not offer the unit", async () => {
    await makeShown("unoffered");
    const { forge } = api;
    const usual = forge.config;
    expect(await listed("/orgs/acme/repos")).toEqual(["acme/unoffered"]);
    Object.assign(forge, { config: { ...usual, disabledRepoUnits: ["repo.issues"] } });
    expect(await statusOf("/repos/acme/unoffered", carol)).toBe(404);
    for (const path of ["/repos/search?q=unoffered", "/user/repos", "/orgs/acme/repos", "/user/starred"])
      expect(await listed(path)).toEqual([]);
    Object.assign(forge, { config: usual });
    expect(await listed("/orgs/acme/repos")).toEqual(["acme/unoffered"]);
    await api.call("DELETE", "/repos/acme/unoffered", { as: alice });
  });

  it("one without any enabled unit is for whom no team of its organization binds, and for administrators", async () => {
    const id = await makeShown("bare");
    await setRepository(api.forge, id, { units: [] });
    const stranger = await api.makeUser({ name: "stranger" });
    const callers = [alice, boss, carol, stranger];
    for (const isPrivate of [true, false]) {
      await setRepository(api.forge, id, { isPrivate });
      for (const as of callers) {
        const isThere = (await statusOf("/repos/acme/bare", as)) === 200;
        expect(isThere).toBe(as === alice || as === boss || (as === stranger && !isPrivate));
        for (const path of ["/repos/search?q=bare", "/orgs/acme/repos"])
          expect(await listed(path, as), `${path} as ${as.name}`).toEqual(isThere ? ["acme/bare"] : []);
      }
      for (const path of ["/user/repos", `/teams/${team}/repos`]) expect(await listed(path)).toEqual([]);
    }
    await api.call("DELETE", "/repos/acme/bare", { as: alice });
  });
});

describe("lists for a member of a team with one unit of all repositories (B-18)", () => {
  it("forks, which have code and pulls alone, are neither shown nor counted", async () => {
    const erin = await api.makeUser({ name: "erin" });
    const all = {
      permission: "write",
      includes_all_repositories: true,
      units_map: { "repo.issues": "write" },
    };
    const every = await makeTeam(api, alice, "acme", "every", all);
    await join(api, alice, every, erin);
    await api.call("POST", "/user/repos", {
      as: alice,
      body: { name: "base", private: true, auto_init: true },
    });
    await api.call("PUT", "/repos/alice/base/collaborators/erin", {
      as: alice,
      body: { permission: "read" },
    });
    const body = { organization: "acme", name: "twig" };
    expect((await api.call("POST", "/repos/alice/base/forks", { as: alice, body })).status).toBe(202);
    expect(await statusOf("/repos/acme/twig", erin)).toBe(404);
    for (const path of [
      ...["/repos/search?q=twig", `/repos/search?team_id=${every}`, "/orgs/acme/repos"],
      ...["/repos/alice/base/forks", `/teams/${every}/repos`],
    ])
      expect(await listed(path, erin), path).toEqual([]);
    for (const path of ["/user/repos", "/user/repos?order_by=size", `/repos/search?uid=${erin.user.id}`])
      expect(await listed(path, erin), path).toEqual(["alice/base"]);
    expect(await listed("/repos/alice/base/forks", alice)).toEqual(["acme/twig"]);
    await edit("twig", { has_issues: true });
    expect(await listed("/orgs/acme/repos", erin)).toEqual(["acme/twig"]);
  });
});
