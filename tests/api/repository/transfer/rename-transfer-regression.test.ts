import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Folders, remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import { join, makeOrganization, makeTeam } from "../../organization/make.ts";
import { type ServedGit, serveGit } from "../serve-git.ts";

let api: TestApi;
let served: ServedGit;
const folders = new Folders();
let alice: Caller;
let bob: Caller;
let carol: Caller;
let boss: Caller;
let made = 0;
let name = "";
let id = 0;

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, carol, "acme");
});
beforeEach(async () => {
  made += 1;
  name = `rt-${made}`;
  id = await create(alice, `${name}-a`);
  await rename(`alice/${name}-a`, `${name}-b`);
});
afterAll(async () => {
  await folders.remove();
  await served.stop();
  await api.stop();
});

async function create(as: Caller, called: string): Promise<number> {
  const answer = await api.call("POST", "/user/repos", { as, body: { name: called } });
  expect(answer.status).toBe(201);
  return answer.json.id;
}
async function rename(path: string, to: string): Promise<void> {
  const { status } = await api.call("PATCH", `/repos/${path}`, { as: boss, body: { name: to } });
  expect(status).toBe(200);
}
async function give(path: string, new_owner: string): Promise<void> {
  const body = { new_owner };
  expect((await api.call("POST", `/repos/${path}/transfer`, { as: boss, body })).status).toBe(202);
}
const read = (path: string, as?: Caller) => api.call("GET", `/repos/${path}`, { as });
/** The target of a path, for the caller: a path, or the status when it leads nowhere else. */
async function leads(path: string, as?: Caller): Promise<string | number> {
  const { status, headers } = await read(path, as);
  const location = headers.get("location");
  return status === 307 && location !== null ? (location.split("/repos/")[1] ?? location) : status;
}
/** All of the paths lead there, to each caller, asked twice: the second time the forge knows the names. */
async function expectLeads(paths: readonly string[], to: string, callers = [alice, undefined]) {
  for (const as of [...callers, ...callers]) {
    for (const path of paths) expect([path, await leads(path, as)]).toEqual([path, to]);
    expect((await read(to, as)).json.id).toBe(id);
  }
}
const checked = async () => expect(await checkRepository(api.forge, id)).toEqual([]);

describe("a name that a repository had before it changed hands (semantics §1.3)", () => {
  it("leads on for API and git after a rename and a transfer", async () => {
    const copy = await WorkingCopy.init(folders);
    const first = await copy.commit({ "a.txt": "one\n" });
    await copy.git("push", "-q", served.url(`alice/${name}-a`, alice), "main");
    await give(`alice/${name}-b`, "carol");
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `carol/${name}-b`, [carol, bob, undefined]);
    expect(await remoteRefs(served.url(`alice/${name}-a`))).toEqual([`${first} refs/heads/main`]);
    const second = await copy.commit({ "a.txt": "two\n" });
    await copy.git("push", "-q", served.url(`alice/${name}-a`, carol), "main");
    expect(await remoteRefs(served.url(`carol/${name}-b`))).toEqual([`${second} refs/heads/main`]);
    await checked();
  });

  it("leads on when the recipient accepted, and under a former name of the owner's", async () => {
    const dora = await api.makeUser({ name: `dora-${made}` });
    const body = { new_owner: "carol" };
    const given = { new_owner: dora.name };
    expect(
      (await api.call("POST", `/repos/alice/${name}-b/transfer`, { as: alice, body: given })).status,
    ).toBe(201);
    const accepted = await api.call("POST", `/repos/alice/${name}-b/transfer/accept`, { as: dora });
    expect(accepted.status).toBe(202);
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `${dora.name}/${name}-b`);
    const renamed = { as: boss, body: { new_username: `doris-${made}` } };
    expect((await api.call("POST", `/admin/users/${dora.name}/rename`, renamed)).status).toBe(204);
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `doris-${made}/${name}-b`);
    await rename(`doris-${made}/${name}-b`, `${name}-c`);
    expect(
      (await api.call("POST", `/repos/doris-${made}/${name}-c/transfer`, { as: boss, body })).status,
    ).toBe(202);
    await expectLeads(
      [`alice/${name}-a`, `dora-${made}/${name}-b`, `doris-${made}/${name}-b`, `dora-${made}/${name}-c`],
      `carol/${name}-c`,
    );
    await checked();
  });

  it("leads on to an organization, whoever of it asks", async () => {
    await give(`alice/${name}-b`, "acme");
    await api.call("PATCH", `/repos/acme/${name}-b`, { as: carol, body: { private: true } });
    const team = await makeTeam(api, carol, "acme", `readers-${made}`, {
      units_map: { "repo.code": "read" },
      includes_all_repositories: true,
    });
    const reader = await api.makeUser();
    await join(api, carol, team, reader);
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `acme/${name}-b`, [carol, reader, boss]);
    await checked();
  });

  it("leads on through several moves there and back", async () => {
    await give(`alice/${name}-b`, "carol");
    await rename(`carol/${name}-b`, `${name}-c`);
    await give(`carol/${name}-c`, "acme");
    await expectLeads(
      [`alice/${name}-a`, `alice/${name}-b`, `carol/${name}-b`, `carol/${name}-c`],
      `acme/${name}-c`,
    );
    await give(`acme/${name}-c`, "alice");
    await expectLeads(
      [`alice/${name}-a`, `alice/${name}-b`, `carol/${name}-b`, `carol/${name}-c`, `acme/${name}-c`],
      `alice/${name}-c`,
    );
    await rename(`alice/${name}-c`, `${name}-a`);
    await give(`alice/${name}-a`, "carol");
    await rename(`carol/${name}-a`, `${name}-b`);
    await expectLeads(
      [`alice/${name}-a`, `alice/${name}-b`, `alice/${name}-c`, `carol/${name}-a`, `acme/${name}-c`],
      `carol/${name}-b`,
    );
    await checked();
  });

  it("is whose who takes it, and leads nowhere once that is gone", async () => {
    await give(`alice/${name}-b`, "carol");
    expect(await leads(`alice/${name}-a`, alice)).toBe(`carol/${name}-b`);
    const other = await create(alice, `${name}-a`);
    for (const as of [alice, alice, undefined, undefined])
      expect((await read(`alice/${name}-a`, as)).json.id).toBe(other);
    await expectLeads([`alice/${name}-b`], `carol/${name}-b`);
    expect((await api.call("DELETE", `/repos/alice/${name}-a`, { as: alice })).status).toBe(204);
    expect(await leads(`alice/${name}-a`, alice)).toBe(404);
    await checked();
  });

  it("404: for callers who may not see the new owner's repository, and for git; 307 for those who may", async () => {
    const recluse = await api.makeUser({ name: `recluse-${made}`, visibility: "private" });
    await expectLeads([`alice/${name}-a`], `alice/${name}-b`, [alice, bob, undefined]);
    await give(`alice/${name}-b`, recluse.name);
    for (const as of [alice, alice, bob, undefined]) {
      for (const path of [`alice/${name}-a`, `alice/${name}-b`, `${recluse.name}/${name}-b`])
        expect([path, await leads(path, as)]).toEqual([path, 404]);
    }
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `${recluse.name}/${name}-b`, [recluse, boss]);
    await expect(remoteRefs(served.url(`alice/${name}-a`, bob))).rejects.toThrow();
    await checked();
  });

  it("leads the recipient of another transfer on, who may read it until they decide (semantics §24.6)", async () => {
    await api.call("PATCH", `/repos/alice/${name}-b`, { as: alice, body: { private: true } });
    await give(`alice/${name}-b`, "bob");
    const body = { new_owner: "acme" };
    expect((await api.call("POST", `/repos/bob/${name}-b/transfer`, { as: bob, body })).status).toBe(201);
    await expectLeads([`alice/${name}-a`], `bob/${name}-b`, [bob, carol]);
    expect(await leads(`alice/${name}-a`, alice)).toBe(404);
  });
});
