import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Config, readConfig } from "#core/config";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { git } from "../../git/http/real-git.ts";
import { join, makeOrganization, makeTeam, makeRepository as makeTheirs } from "../organization/make.ts";
import { serveGit } from "./serve-git.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
let usual: Config;
let made = 0;

beforeAll(async () => {
  api = await makeApi();
  usual = api.forge.config;
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, alice, "acme");
});
afterEach(() => set({}));
afterAll(() => api.stop());

/** Lets the installation have these settings from now on. */
function set(settings: Readonly<Record<string, string>>): void {
  const read = readConfig(settings);
  const { disabledRepoUnits, defaultRepoUnits, defaultForkRepoUnits } = read;
  Object.assign(api.forge, {
    config: { ...usual, disabledRepoUnits, defaultRepoUnits, defaultForkRepoUnits },
  });
}

async function create(more: object = {}, as = alice, path = "/user/repos") {
  made += 1;
  const { status, json } = await api.call("POST", path, { as, body: { name: `wares-${made}`, ...more } });
  expect(status, JSON.stringify(json)).toBe(201);
  return json;
}
const read = async (path: string, as?: Caller) => (await api.call("GET", `/repos/${path}`, { as })).json;
const edit = async (path: string, body: object) => {
  const { status, json } = await api.call("PATCH", `/repos/${path}`, { as: alice, body });
  expect(status).toBe(200);
  return json;
};
const status = async (method: string, path: string, as?: Caller, body?: object) =>
  (await api.call(method, path, { as, body })).status;

const fields = ["issues", "pull_requests", "releases", "wiki", "projects", "packages", "actions"];
const all = "issues pull_requests releases wiki projects packages actions";
/** The units that an answer says are on, beside the code. */
const unitsIn = (json: Record<string, unknown>): string =>
  fields.filter((field) => json[`has_${field}`] === true).join(" ");
const tracker = { external_tracker_url: "https://bugs.example.org" };
const external = { external_tracker: { ...tracker, external_tracker_format: "" } };

describe("DEFAULT_REPO_UNITS", () => {
  it("absent: a new repository has all but those that lie elsewhere, a fork code and pulls", async () => {
    const made = await create({ auto_init: true });
    expect(unitsIn(made)).toBe(all);
    const { json } = await api.call("POST", `/repos/${made.full_name}/forks`, { as: bob, body: {} });
    expect(unitsIn(json)).toBe("pull_requests");
  });

  it("is what repositories begin with, however they are made; the others may be turned on", async () => {
    set({ DEFAULT_REPO_UNITS: "repo.code, repo.issues,repo.wiki" });
    const template = await create({ auto_init: true, template: true });
    const body = { owner: "alice", name: `made-${made}`, git_content: true };
    const generated = await api.call("POST", `/repos/${template.full_name}/generate`, { as: alice, body });
    const theirs = await makeTheirs(api, alice, "acme", `theirs-${made}`);
    const given = await create({}, boss, "/admin/users/bob/repos");
    for (const json of [template, generated.json, theirs, given]) expect(unitsIn(json)).toBe("issues wiki");
    expect(await status("GET", `/repos/${template.full_name}/contents/README.md`)).toBe(200);
    expect(unitsIn(await edit(template.full_name, { has_releases: true }))).toBe("issues releases wiki");
  });

  it("names the code or not: it is always there", async () => {
    set({ DEFAULT_REPO_UNITS: "repo.issues", DEFAULT_FORK_REPO_UNITS: "repo.wiki" });
    const source = await create({ auto_init: true });
    const { json } = await api.call("POST", `/repos/${source.full_name}/forks`, { as: bob, body: {} });
    for (const path of [source.full_name, json.full_name]) {
      expect(await status("GET", `/repos/${path}/branches`)).toBe(200);
    }
    expect([unitsIn(source), unitsIn(json)]).toEqual(["issues", "wiki"]);
  });

  it("DEFAULT_FORK_REPO_UNITS is what forks begin with, whatever the source has", async () => {
    const source = await create({ auto_init: true });
    set({ DEFAULT_FORK_REPO_UNITS: "repo.code,repo.pulls,repo.issues" });
    const { json } = await api.call("POST", `/repos/${source.full_name}/forks`, { as: bob, body: {} });
    expect(unitsIn(json)).toBe("issues pull_requests");
  });
});

describe("DISABLED_REPO_UNITS", () => {
  it("wins over what new repositories and forks begin with", async () => {
    set({ DISABLED_REPO_UNITS: "repo.wiki,repo.pulls", DEFAULT_REPO_UNITS: "repo.issues,repo.wiki" });
    const source = await create({ auto_init: true });
    const { json } = await api.call("POST", `/repos/${source.full_name}/forks`, { as: bob, body: {} });
    expect([unitsIn(source), unitsIn(json)]).toEqual(["issues", ""]);
    set({});
    expect(unitsIn(await read(source.full_name))).toBe("issues");
  });

  it("takes a unit off repositories that had it before, for everybody, and lifted gives it back", async () => {
    const { full_name: path } = await create({ auto_init: true });
    const page = { title: "Home", content_base64: Buffer.from("hello\n").toString("base64") };
    expect(await status("POST", `/repos/${path}/wiki/new`, alice, page)).toBe(201);
    expect(await status("POST", `/repos/${path}/issues`, alice, { title: "one" })).toBe(201);
    const routes = ["issues", "issues/1", "wiki/pages", "wiki/page/Home"];
    set({ DISABLED_REPO_UNITS: "repo.issues,repo.wiki,repo.actions" });
    for (const as of [undefined, bob, alice, boss]) {
      expect(unitsIn(await read(path, as))).toBe("pull_requests releases projects packages");
      for (const route of routes.filter((one) => one !== "issues" && one !== "issues/1")) {
        expect(await status("GET", `/repos/${path}/${route}`, as), route).toBe(404);
      }
    }
    expect(await read(path, alice)).not.toHaveProperty("internal_tracker");
    expect(await status("POST", `/repos/${path}/wiki/new`, alice, page)).toBe(404);
    expect(await status("GET", `/repos/${path}/issues/1/times`, alice)).toBe(404);
    set({});
    for (const route of routes) expect(await status("GET", `/repos/${path}/${route}`), route).toBe(200);
    expect(unitsIn(await read(path))).toBe(all);
  });

  it("answers as for a unit that the repository itself has switched off", async () => {
    const [here, there] = [await create({ auto_init: true }), await create({ auto_init: true })];
    for (const { full_name: path } of [here, there]) {
      expect(await status("POST", `/repos/${path}/issues`, alice, { title: "one" })).toBe(201);
    }
    const off = { has_issues: false, has_wiki: false, has_pull_requests: false };
    await edit(here.full_name, off);
    const answers = async (path: string) => {
      const calls = [
        "issues",
        "issues/1",
        "issues/1/comments",
        "labels",
        "milestones",
        "wiki/pages",
        "times",
      ].map(async (route) => {
        const { status, text } = await api.call("GET", `/repos/${path}/${route}`, { as: alice });
        return [route, status, text];
      });
      const made = await api.call("POST", `/repos/${path}/issues`, { as: alice, body: { title: "two" } });
      return [...(await Promise.all(calls)), ["create", made.status, made.text]];
    };
    const switchedOff = await answers(here.full_name);
    set({ DISABLED_REPO_UNITS: "repo.issues,repo.wiki,repo.pulls" });
    expect(await answers(there.full_name)).toEqual(switchedOff);
    expect(switchedOff).toContainEqual(["wiki/pages", 404, expect.any(String)]);
  });

  it("a PATCH leaves such a unit as it is, without a word, and does the rest", async () => {
    const { full_name: path } = await create({ auto_init: true });
    await edit(path, { has_wiki: false });
    set({ DISABLED_REPO_UNITS: "repo.wiki,repo.issues,repo.projects" });
    const body = {
      has_wiki: true,
      has_issues: false,
      has_projects: false,
      has_releases: false,
      description: "x",
    };
    const edited = await edit(path, body);
    expect([unitsIn(edited), edited.description]).toEqual(["pull_requests packages actions", "x"]);
    set({});
    expect(unitsIn(await read(path))).toBe("issues pull_requests projects packages actions");
  });

  it("what is elsewhere can be disabled by itself: naming it then leaves what is here", async () => {
    const { full_name: path } = await create();
    set({ DISABLED_REPO_UNITS: "repo.ext_issues,repo.ext_wiki" });
    const wiki = { external_wiki: { external_wiki_url: "https://wiki.example.org" } };
    const edited = await edit(path, { has_issues: true, has_wiki: true, ...external, ...wiki });
    expect(unitsIn(edited)).toBe(all);
    expect(edited).toHaveProperty("internal_tracker");
    for (const name of ["external_tracker", "external_wiki"]) expect(edited).not.toHaveProperty(name);
  });

  it("what is here can be disabled by itself: a tracker elsewhere then takes its place for good", async () => {
    const { full_name: path } = await create();
    set({ DISABLED_REPO_UNITS: "repo.issues" });
    expect((await edit(path, { has_issues: true })).has_issues).toBe(false);
    expect(await edit(path, { has_issues: true, ...external })).toMatchObject({
      has_issues: true,
      external_tracker: tracker,
    });
    set({});
    const lifted = await read(path);
    expect(lifted).toMatchObject({ has_issues: true, external_tracker: tracker });
    expect(lifted).not.toHaveProperty("internal_tracker");
  });

  it("git may not read or write a wiki that is disabled", async () => {
    const { full_name: path } = await create({ auto_init: true });
    const page = { title: "Home", content_base64: Buffer.from("hello\n").toString("base64") };
    expect(await status("POST", `/repos/${path}/wiki/new`, alice, page)).toBe(201);
    const served = await serveGit(api);
    try {
      const list = () => git(".", ["ls-remote", served.url(`${path}.wiki`, alice)]);
      expect(await list()).toContain("refs/heads/");
      set({ DISABLED_REPO_UNITS: "repo.wiki" });
      await expect(list()).rejects.toThrow(/not found/);
      expect(await git(".", ["ls-remote", served.url(path, alice)])).toContain("refs/heads/main");
    } finally {
      await served.stop();
    }
  });

  it("whose team has such a unit alone sees nothing of a private repository", async () => {
    const name = `hidden-${made}`;
    await makeTheirs(api, alice, "acme", name, { private: true });
    const team = await makeTeam(api, alice, "acme", `writers-${made}`, {
      permission: "write",
      units: ["repo.wiki"],
    });
    await join(api, alice, team, bob);
    expect(await status("PUT", `/teams/${team}/repos/acme/${name}`, alice)).toBe(204);
    expect(await status("GET", `/repos/acme/${name}`, bob)).toBe(200);
    const lists = ["/user/repos", `/repos/search?q=${name}`, `/teams/${team}/repos`, "/orgs/acme/repos"];
    const totals = () =>
      Promise.all(
        lists.map(async (path) =>
          Number((await api.call("GET", path, { as: bob })).headers.get("x-total-count")),
        ),
      );
    const before = await totals();
    expect(before[1]).toBe(1);
    set({ DISABLED_REPO_UNITS: "repo.wiki" });
    expect(await status("GET", `/repos/acme/${name}`, bob)).toBe(404);
    const names = (await api.call("GET", "/user/repos", { as: bob })).json.map(
      (one: { name: string }) => one.name,
    );
    expect(names).not.toContain(name);
    const after = await totals();
    expect(after.slice(1, 3)).toEqual([0, 0]);
    for (const [place, total] of after.entries()) expect(total).toBeLessThan(before[place] ?? 0);
  });
});
