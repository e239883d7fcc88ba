import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { setRepository } from "#tests/support/set-listed";
import { holdTimeStill } from "#tests/support/still-time";
import { makeCommit } from "../../core/repository/commits.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let made = 0;
let name = "";

beforeAll(async () => {
  api = await makeApi();
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
});
beforeEach(async () => {
  made += 1;
  name = `Repo-${made}`;
  expect((await api.call("POST", "/user/repos", { as: alice, body: { name } })).status).toBe(201);
});
afterAll(() => api.stop());

const edit = (body: object, as: Caller | undefined = alice) =>
  api.call("PATCH", `/repos/alice/${name}`, { as, body });
const read = async (path = name, as: Caller | undefined = alice) =>
  api.call("GET", `/repos/alice/${path}`, { as });

async function push(branch: string, as: Caller = alice): Promise<string> {
  const { json } = await read();
  const { id, pack } = makeCommit({ message: `${branch}\n` });
  const changes = [{ name: `refs/heads/${branch}`, new: id }];
  const outcome = await pushToRepository(
    api.forge,
    { id: json.id, ownerId: json.owner.id },
    { user: as.user },
    { changes, pack },
  );
  expect(outcome.kind === "done" && outcome.results).toEqual([{ name: `refs/heads/${branch}` }]);
  return id;
}

describe("repoEdit", () => {
  it("200: changes what is named and leaves the rest", async () => {
    const before = (await read()).json;
    api.clock.advance(5_000);
    const { status, json } = await edit({
      description: "new words",
      website: "https://example.com",
      private: true,
      template: true,
      has_projects: false,
      allow_rebase: false,
      allow_manual_merge: true,
      autodetect_manual_merge: true,
      default_merge_style: "squash",
      internal_tracker: { enable_time_tracker: false },
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      ...before,
      description: "new words",
      website: "https://example.com",
      private: true,
      template: true,
      has_projects: false,
      allow_rebase: false,
      allow_manual_merge: true,
      autodetect_manual_merge: true,
      default_merge_style: "squash",
      internal_tracker: { ...before.internal_tracker, enable_time_tracker: false },
      updated_at: json.updated_at,
    });
    expect(Date.parse(json.updated_at) - Date.parse(before.updated_at)).toBe(5_000);
    expect((await read()).json).toEqual(json);
    expect((await read(name, bob)).status).toBe(404);
  });

  it("200: enable_prune and mirror_interval of what is no mirror change nothing", async () => {
    const before = (await read()).json;
    api.clock.advance(5_000);
    const { status, json } = await edit({ enable_prune: true, mirror_interval: "8h0m0s" });
    expect(status).toBe(200);
    expect(json).toEqual(before);
  });

  it("200: the wiki is turned off and on, or leads elsewhere (D-WIKI)", async () => {
    await edit({ globally_editable_wiki: true });
    const off = await edit({ has_wiki: false });
    expect(off.json).toMatchObject({ has_wiki: false, globally_editable_wiki: false });
    const external_wiki = { external_wiki_url: "https://wiki.example.com" };
    expect((await edit({ has_wiki: true, external_wiki })).json).toMatchObject({
      has_wiki: true,
      external_wiki,
    });
    expect((await edit({ has_wiki: true })).json).toMatchObject({ has_wiki: true });
    expect((await edit({ has_wiki: true })).json.external_wiki).toBeUndefined();
  });

  it("200: a tracker elsewhere takes the place of the built-in one and gives it back", async () => {
    const tracker = {
      external_tracker_url: "https://bugs.example.com",
      external_tracker_format: "https://bugs.example.com/{index}",
      external_tracker_style: "numeric",
      external_tracker_regexp_pattern: "",
    };
    const external = (await edit({ has_issues: true, external_tracker: tracker })).json;
    expect(external).toMatchObject({ has_issues: true, external_tracker: tracker });
    expect(external.internal_tracker).toBeUndefined();
    expect((await edit({ has_issues: false })).json.has_issues).toBe(false);
    const internal = (await edit({ has_issues: true })).json;
    expect(internal.internal_tracker).toBeDefined();
    expect(internal.external_tracker).toBeUndefined();
  });

  describe("of a mirror", () => {
    const mirror = {
      intervalSeconds: 8 * 3600,
      prunes: true,
      syncedAt: 1_700_000_000,
      nextSyncAt: 1_700_028_800,
    };
    const stored = async () => {
      const { id } = (await read()).json;
      return (await api.forge.table.get<Repository>(repositoryKey(id)))?.mirror;
    };
    beforeEach(async () => {
      const { id } = (await read()).json;
      await setRepository(api.forge, id, { isMirror: true, mirror });
    });

    it("200: enable_prune alone changes only that, without mirror_interval (B-04a, B-04b, FLD-enable_prune, RES-Repository, D-PRUNE)", async () => {
      const before = (await read()).json;
      expect(before).toMatchObject({
        ...{ owner: { login: "alice" }, name, size: 0 },
        ...{ mirror: true, mirror_interval: "8h0m0s", enable_prune: true },
      });
      const { json } = await edit({ enable_prune: false });
      expect(json).toEqual({ ...before, enable_prune: false, updated_at: json.updated_at });
      expect(await stored()).toEqual({ ...mirror, prunes: false });
    });

    it("200: mirror_interval alone keeps enable_prune, and plans the next sync anew (FLD-mirror_interval)", async () => {
      const { json } = await edit({ mirror_interval: "12h" });
      expect(json).toMatchObject({ mirror_interval: "12h0m0s", enable_prune: true });
      const now = Math.floor(api.clock.now() / 1000);
      expect(await stored()).toEqual({ ...mirror, intervalSeconds: 43_200, nextSyncAt: now + 43_200 });
      expect((await edit({ mirror_interval: "0" })).json.mirror_interval).toBe("0s");
      expect(await stored()).toMatchObject({ intervalSeconds: 0, nextSyncAt: 0 });
      expect((await edit({ mirror_interval: "1h30m10s" })).json.mirror_interval).toBe("1h30m10s");
    });

    it.each(["9m59s", "nonsense"])(
      "422: mirror_interval %j, and nothing of the request is stored",
      async (mirror_interval) => {
        const { status, json } = await edit({
          mirror_interval,
          enable_prune: false,
          description: "not stored",
        });
        expect([status, json.message]).toEqual([422, expect.stringContaining("MirrorInterval")]);
        expect(await stored()).toEqual(mirror);
        expect((await read()).json.description).toBe("");
      },
    );

    it("422: archiving", async () => {
      expect((await edit({ archived: true })).status).toBe(422);
    });
  });

  it("200: renames; the old name leads to the new one", async () => {
    const former = name;
    const { status, json } = await edit({ name: `${former}-new` });
    expect(status).toBe(200);
    expect(json).toMatchObject({ name: `${former}-new`, full_name: `alice/${former}-new` });
    expect((await read(former)).status).toBe(307);
    expect((await read(`${former}-NEW`)).json.id).toBe(json.id);
    const listed = await api.call("GET", "/user/repos?limit=50", { as: alice });
    expect(listed.json.map((one: { name: string }) => one.name)).toContain(`${former}-new`);
    const again = await api.call("POST", "/user/repos", { as: alice, body: { name: former } });
    expect(again.status).toBe(201);
  });

  it("200: a rename that changes only the case", async () => {
    const { status, json } = await edit({ name: name.toUpperCase() });
    expect(status).toBe(200);
    expect(json.name).toBe(name.toUpperCase());
    expect((await read()).json.name).toBe(name.toUpperCase());
  });

  it("200: default_branch is taken when the branch is there, or none is yet; else ignored", async () => {
    expect((await edit({ default_branch: "planned" })).json.default_branch).toBe("planned");
    await push("main");
    expect((await read()).json.default_branch).toBe("main");
    await push("dev/two");
    expect((await edit({ default_branch: "absent" })).json.default_branch).toBe("main");
    expect((await edit({ default_branch: "dev/two" })).json.default_branch).toBe("dev/two");
  });

  it("200: archives and brings back, with the time of archiving", async () => {
    const archived = (await edit({ archived: true })).json;
    expect(archived.archived).toBe(true);
    expect(Date.parse(archived.archived_at)).toBe(api.clock.now());
    const back = (await edit({ archived: false })).json;
    expect(back).toMatchObject({ archived: false, archived_at: "0001-01-01T00:00:00Z" });
  });

  it("200: of edits at the same time none is lost", async () => {
    holdTimeStill();
    const changes = [
      { description: "described" },
      { website: "https://example.com" },
      { private: true },
      { template: true },
      { has_releases: false },
      { archived: true },
    ];
    const answers = await Promise.all(changes.map((change) => edit(change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const { json } = await read();
    expect(json).toMatchObject(Object.assign({}, ...changes));
  });

  it("200 or 404: an edit that meets a deletion is done before it, or told that it is gone", async () => {
    const [edited, removed] = await Promise.all([
      edit({ description: "late" }),
      api.call("DELETE", `/repos/alice/${name}`, { as: alice }),
    ]);
    expect(removed.status).toBe(204);
    expect([200, 404]).toContain(edited.status);
    expect((await read()).status).toBe(404);
  });

  it("401, 403, 404: anonymous callers, readers, and who may not see it", async () => {
    expect((await api.call("PATCH", `/repos/alice/${name}`, { body: {} })).status).toBe(401);
    expect((await edit({ description: "x" }, bob)).status).toBe(403);
    await edit({ private: true });
    expect((await edit({ description: "x" }, bob)).status).toBe(404);
  });

  it("403: a body that is not valid does not tell a reader so (semantics §1.7)", async () => {
    expect((await edit({ description: 7 }, bob)).status).toBe(403);
  });

  it("422: the name of another repository of the owner", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name: `${name}-other` } });
    const { status, json } = await edit({ name: `${name}-OTHER`, description: "not stored" });
    expect(status).toBe(422);
    expect(json.message).toContain("Name");
    expect((await read()).json).toMatchObject({ name, description: "" });
  });

  it("422: two renames to one name at once: one wins", async () => {
    const other = `${name}-b`;
    await api.call("POST", "/user/repos", { as: alice, body: { name: other } });
    const answers = await Promise.all([
      edit({ name: `${name}-target` }),
      api.call("PATCH", `/repos/alice/${other}`, { as: alice, body: { name: `${name}-target` } }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it.each([
    ["a reserved name", { name: "x.git" }, "Name"],
    ["a website over its bound", { website: "a".repeat(1025) }, "Website"],
    ["a branch name that git does not allow", { default_branch: "a b" }, "DefaultBranch"],
    ["an unknown merge style", { default_merge_style: "octopus" }, "DefaultMergeStyle"],
    [
      "a tracker without a URL",
      { has_issues: true, external_tracker: { external_tracker_url: "bugs" } },
      "ExternalTracker",
    ],
    [
      "a tracker's format with a brace missing",
      {
        external_tracker: {
          external_tracker_url: "https://bugs.example.com",
          external_tracker_format: "https://bugs.example.com/{user/{repo}?issue={index}",
        },
      },
      "ExternalTrackerFormat",
    ],
  ])("422: %s", async (_what, body, field) => {
    const { status, json } = await edit({ description: "not stored", ...body });
    expect(status).toBe(422);
    expect(json.message).toContain(field);
    expect((await read()).json.description).toBe("");
  });
});
