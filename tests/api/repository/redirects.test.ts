import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { setRepository } from "#tests/support/set-listed";
import { cloneAndCheck, Folders, remoteRefs, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "./serve-git.ts";

let api: TestApi;
let served: ServedGit;
const folders = new Folders();
let alice: Caller;
let bob: Caller;
let made = 0;
let name = "";
let id = 0;

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
});
beforeEach(async () => {
  made += 1;
  name = `Repo-${made}`;
  id = await create(name);
});
afterAll(async () => {
  await folders.remove();
  await served.stop();
  await api.stop();
});

async function create(called: string, body: object = {}): Promise<number> {
  const answer = await api.call("POST", "/user/repos", { as: alice, body: { name: called, ...body } });
  expect(answer.status).toBe(201);
  return answer.json.id;
}
const rename = (from: string, to: string) =>
  api.call("PATCH", `/repos/alice/${from}`, { as: alice, body: { name: to } });
const read = (called: string, as?: Caller) => api.call("GET", `/repos/alice/${called}`, { as });
const checked = async () => expect(await checkRepository(api.forge, id)).toEqual([]);

describe("a repository's former name", () => {
  it("307: leads every operation to where it is now, with its query (semantics §1.3)", async () => {
    expect((await rename(name, `${name}-new`)).status).toBe(200);
    const { status, headers } = await read(`${name}?x=1&y=%20`);
    const base = api.forge.config.rootUrl;
    expect([status, headers.get("location")]).toEqual([
      307,
      `${base}/api/v1/repos/alice/${name}-new?x=1&y=%20`,
    ]);
    const below = await api.call("POST", `/repos/ALICE/${name.toLowerCase()}/issues`, {
      as: bob,
      body: { title: "t" },
    });
    expect([below.status, below.headers.get("location")]).toEqual([
      307,
      `${base}/api/v1/repos/alice/${name}-new/issues`,
    ]);
    await checked();
  });

  it("serves git: clone and push under the old name, without a redirect", async () => {
    const copy = await WorkingCopy.init(folders);
    const tip = await copy.commit({ "a.txt": "one\n" });
    await copy.git("push", "-q", served.url(`alice/${name}`, alice), "main");
    await rename(name, `${name}-new`);
    const later = await copy.commit({ "a.txt": "two\n" });
    await copy.git("push", "-q", served.url(`alice/${name}`, alice), "main");
    expect(await remoteRefs(served.url(`alice/${name}-new`))).toEqual([`${later} refs/heads/main`]);
    await cloneAndCheck(folders, served.url(`alice/${name}`));
    expect(tip).not.toBe(later);
    const refused = await copy.try("push", "-q", served.url(`alice/${name}`, bob), "main:x");
    expect(refused.code).not.toBe(0);
    await checked();
  });

  it("leads on through several names, and back to the first one", async () => {
    await rename(name, `${name}-b`);
    await rename(`${name}-b`, `${name}-c`);
    expect((await read(name)).headers.get("location")).toContain(`${name}-c`);
    expect((await read(`${name}-b`)).headers.get("location")).toContain(`${name}-c`);
    expect((await rename(`${name}-c`, name)).json.name).toBe(name);
    expect((await read(name)).json.id).toBe(id);
    expect((await read(`${name}-c`)).headers.get("location")).toContain(name);
    await checked();
  });

  it("is whose who takes it, by creation with or without a commit, or by renaming", async () => {
    for (const auto_init of [false, true]) {
      await rename(name, `${name}-${auto_init}`);
      const other = await create(name, { auto_init });
      expect((await read(name.toLowerCase())).json.id).toBe(other);
      expect((await api.call("DELETE", `/repos/alice/${name}`, { as: alice })).status).toBe(204);
      name = `${name}-${auto_init}`;
    }
    const other = await create(`${name}-other`);
    await rename(name, `${name}-x`);
    expect((await rename(`${name}-other`, name)).status).toBe(200);
    expect((await read(name)).json.id).toBe(other);
    expect((await read(`${name}-other`)).headers.get("location")).toContain(name);
    await checked();
  });

  it("201 and 409: of two creations that take it at once one has it", async () => {
    await rename(name, `${name}-new`);
    const answers = await Promise.all(
      [{}, { auto_init: true }].map((body) =>
        api.call("POST", "/user/repos", { as: alice, body: { name, ...body } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it("200 and 201: a rename away from a name lets it be taken at the same time, or it was too early", async () => {
    const [renamed, created] = await Promise.all([
      rename(name, `${name}-new`),
      api.call("POST", "/user/repos", { as: alice, body: { name } }),
    ]);
    expect(renamed.status).toBe(200);
    expect([201, 409]).toContain(created.status);
    const { status, json } = await read(name);
    expect(created.status === 201 ? json.id : status).toBe(created.status === 201 ? created.json.id : 307);
  });

  it("404: to whom the repository is hidden, and once it is deleted; the name can be taken again", async () => {
    await rename(name, `${name}-new`);
    await api.call("PATCH", `/repos/alice/${name}-new`, { as: alice, body: { private: true } });
    expect((await read(name, bob)).status).toBe(404);
    expect((await read(name, alice)).status).toBe(307);
    await api.call("DELETE", `/repos/alice/${name}-new`, { as: alice });
    expect((await read(name, alice)).status).toBe(404);
    await create(name);
  });

  it("is none of a name that differs only in its case", async () => {
    await rename(name, name.toUpperCase());
    expect((await read(name)).json.name).toBe(name.toUpperCase());
    expect((await read(name.toLowerCase())).status).toBe(200);
    await checked();
  });

  it("422 after 50 of them; names taken back don't count", async () => {
    const formerNames = Array.from({ length: 50 }, (_, at) => ({
      ownerId: alice.user.id,
      name: `${name}-${at}`.toLowerCase(),
    }));
    await setRepository(api.forge, id, { formerNames });
    const { status, json } = await rename(name, `${name}-50`);
    expect([status, json.message]).toEqual([422, expect.stringContaining("Name")]);
    expect((await rename(name, `${name}-7`)).status).toBe(200);
  });

  it("a push that is under way while the repository is renamed lands", async () => {
    const copy = await WorkingCopy.init(folders);
    const tip = await copy.commit({ "a.txt": "one\n" });
    await Promise.all([
      copy.git("push", "-q", served.url(`alice/${name}`, alice), "main"),
      rename(name, `${name}-new`),
    ]);
    expect(await remoteRefs(served.url(`alice/${name}-new`))).toEqual([`${tip} refs/heads/main`]);
    await checked();
  });
});
