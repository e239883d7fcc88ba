import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listJobs } from "#core/jobs/job";
import { checkRepository } from "#core/lifecycle/check/check";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { refsOf } from "#tests/git/client/remotes";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { workOnMirrors } from "#tests/support/mirror-work";
import { beginMigration, migrationSettings, refsHere, wikiIdOf } from "./migration-world.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: migrationSettings });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

const begin = (options: object = {}) => beginMigration(api, alice, options);
const stateOf = (path: string, as: Caller = alice) => api.call("GET", `${path}/migration`, { as });

describe("repoGetMigration", () => {
  it("200: waiting, then done; clones and pushes meanwhile are told to come later (D-MIGRATE)", async () => {
    const { id, path, name, folder } = await begin();
    expect((await stateOf(path)).json).toMatchObject({ status: "waiting", ended_at: null, message: "" });
    const gitApp = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
    const refs = (service: string) =>
      gitApp.request(`/${name}.git/info/refs?service=${service}`, {
        headers: { authorization: `Basic ${Buffer.from(`alice:${alice.token}`).toString("base64")}` },
      });
    for (const service of ["git-upload-pack", "git-receive-pack"]) {
      const answer = await refs(service);
      expect([service, answer.status]).toEqual([service, 503]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const write = { content: "", message: "m", branch: "main" };
    expect((await api.call("POST", `${path}/contents/f`, { as: alice, body: write })).status).toBe(403);
    await workOnMirrors(api);
    expect((await stateOf(path)).json).toMatchObject({ status: "done", message: "", failures: 0 });
    expect(await refsHere(api, id)).toEqual(await refsOf(folder));
    expect((await refs("git-upload-pack")).status).toBe(200);
  });

  it("403: a writer; 404: whom the repository is hidden from, and one that was made here", async () => {
    const { path } = await begin({ private: true });
    expect((await stateOf(path, bob)).status).toBe(404);
    await api.call("PUT", `${path}/collaborators/bob`, { as: alice, body: { permission: "write" } });
    expect((await stateOf(path, bob)).status).toBe(403);
    await api.call("POST", "/user/repos", { as: alice, body: { name: "made-here" } });
    expect((await stateOf("/repos/alice/made-here")).status).toBe(404);
    await workOnMirrors(api);
  });
});

describe("repoRetryMigration", () => {
  it("200: what failed later stays, empty and with the reason, until it is tried again (D-MIGRATE)", async () => {
    const { id, path, folder, server } = await begin();
    const listeners = server.listeners("request") as ((...of: unknown[]) => void)[];
    server.removeAllListeners("request");
    server.on("request", (_request, response) => response.writeHead(500).end());
    await workOnMirrors(api);
    const failed = await stateOf(path);
    expect(failed.json).toMatchObject({
      status: "failed",
      failures: 1,
      message: expect.stringContaining("500"),
    });
    expect((await api.call("GET", path, { as: alice })).json.empty).toBe(true);
    server.removeAllListeners("request");
    for (const listener of listeners) server.on("request", listener);
    const again = await api.call("POST", `${path}/migration`, { as: alice });
    expect([again.status, again.json.status]).toEqual([200, "waiting"]);
    await workOnMirrors(api);
    expect((await stateOf(path)).json).toMatchObject({ status: "done", failures: 0, message: "" });
    expect(await refsHere(api, id)).toEqual(await refsOf(folder));
    expect((await api.call("POST", `${path}/migration`, { as: alice })).status).toBe(409);
  });

  it("404: a repository that was made here, as repoGetMigration answers", async () => {
    const { json } = await api.call("POST", "/user/repos", { as: alice, body: { name: "from-nowhere" } });
    const path = `/repos/${json.full_name}/migration`;
    const answers = [await api.call("GET", path, { as: alice }), await api.call("POST", path, { as: alice })];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers[1]?.json.message).toBe(answers[0]?.json.message);
  });
});

describe("a repository that is brought over", () => {
  it("gets its wiki, when that is asked for and there", async () => {
    const { id, path, wiki } = await begin({ wiki: true });
    await workOnMirrors(api);
    expect(await refsHere(api, await wikiIdOf(api, id))).toEqual(await refsOf(wiki));
    expect(await checkRepository(api.forge, id)).toEqual([]);
    const without = await begin();
    await workOnMirrors(api);
    expect((await api.call("GET", `${without.path}/wiki/pages`, { as: alice })).status).toBe(404);
    expect((await stateOf(path)).json.status).toBe("done");
  });

  it("is gone with its job when it is deleted meanwhile", async () => {
    const { path } = await begin();
    expect((await api.call("DELETE", path, { as: alice })).status).toBe(204);
    await workOnMirrors(api);
    expect((await listJobs(api.forge)).filter(({ kind }) => kind === "sync-mirror")).toEqual([]);
  });
});
