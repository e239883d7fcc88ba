import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkTable } from "#core/lifecycle/check/check";
import { editRepository } from "#core/repository/edit";
import { removeRepositoriesOfOwner, removeRepository } from "#core/repository/removal/remove";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
let made = 0;
let path = "";
let id = 0;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
});
afterAll(() => api.stop());
beforeEach(async () => {
  made += 1;
  const body = { name: `thing-${made}`, private: true };
  id = (await api.call("POST", "/user/repos", { as: alice, body })).json.id;
  path = `/repos/alice/thing-${made}`;
});

const offer = async (new_owner: string) =>
  (await api.call("POST", `${path}/transfer`, { as: alice, body: { new_owner } })).status;
const decide = async (word: "accept" | "reject", as: Caller) =>
  (await api.call("POST", `${path}/transfer/${word}`, { as })).status;

describe("repoTransfer to a recipient who is gone", () => {
  it("can be started anew when the recipient was a user", async () => {
    const leaver = await api.makeUser({ name: `leaver-${made}` });
    expect(await offer(leaver.name)).toBe(201);
    expect(await offer("bob")).toBe(409);
    expect((await api.call("DELETE", `/admin/users/${leaver.name}`, { as: boss })).status).toBe(204);
    await finishJobs(api);
    expect(await offer("bob")).toBe(201);
    expect(await offer("boss")).toBe(409);
    const findings = [];
    for await (const finding of checkTable(api.forge)) findings.push(finding);
    expect(findings).toEqual([]);
  });

  it("can be started anew when it was an organization", async () => {
    const name = `guild-${made}`;
    await api.call("POST", "/orgs", { as: bob, body: { username: name } });
    expect(await offer(name)).toBe(201);
    expect((await api.call("DELETE", `/orgs/${name}`, { as: bob })).status).toBe(204);
    expect(await offer("bob")).toBe(201);
    expect(await decide("accept", bob)).toBe(202);
  });
});

describe("the recipient of a transfer may read the repository until they have decided (semantics §24.6)", () => {
  it("also when the owner removes them from the collaborators", async () => {
    expect(await offer("bob")).toBe(201);
    expect((await api.call("DELETE", `${path}/collaborators/bob`, { as: alice })).status).toBe(204);
    expect((await api.call("GET", path, { as: bob })).status).toBe(200);
    expect(await decide("reject", bob)).toBe(200);
    expect((await api.call("GET", path, { as: bob })).status).toBe(404);
    expect(await offer("bob")).toBe(201);
  });

  it("also when they block the owner, which ends the rights of both", async () => {
    expect(await offer("bob")).toBe(201);
    expect((await api.call("PUT", "/user/block/alice", { as: bob })).status).toBe(204);
    await finishJobs(api);
    expect(await decide("reject", bob)).toBe(200);
    expect((await api.call("GET", path, { as: bob })).status).toBe(404);
    expect((await api.call("PUT", "/user/unblock/alice", { as: bob })).status).toBe(204);
  });
});

describe("what the former owner asked for while the recipient accepted", () => {
  const stale = () => api.forge.table.get<Repository>(repositoryKey(id));

  it("deletes nothing of the new owner's: neither by hand nor by a purge of the former one", async () => {
    const before = await stale();
    if (before === undefined) throw new Error("the repository is not there");
    expect(await offer("bob")).toBe(201);
    expect(await decide("accept", bob)).toBe(202);
    await expect(removeRepository(api.forge, alice, before)).rejects.toMatchObject({ code: "not-found" });
    await removeRepositoriesOfOwner(api.forge, before.ownerId, before.ownerId, id);
    expect((await api.call("GET", `/repos/bob/thing-${made}`, { as: bob })).status).toBe(200);
  });

  it("changes nothing of the new owner's", async () => {
    const before = await stale();
    if (before === undefined) throw new Error("the repository is not there");
    expect(await offer("bob")).toBe(201);
    expect(await decide("accept", bob)).toBe(202);
    await expect(
      editRepository(api.forge, alice, before, { isPrivate: false, name: "shown" }),
    ).rejects.toMatchObject({ code: "not-found" });
    const { json } = await api.call("GET", `/repos/bob/thing-${made}`, { as: bob });
    expect(json).toMatchObject({ private: true, name: `thing-${made}` });
  });
});

describe("repo_transfer of a transfer to an organization that hides itself (semantics §24.6, B-18)", () => {
  it("is shown to those who may take the repository, to its owner, and to nobody else", async () => {
    const name = `cellar-${made}`;
    await api.call("POST", "/orgs", { as: bob, body: { username: name, visibility: "private" } });
    const body = { name: "readers", permission: "read", units: ["repo.code"] };
    const team = (await api.call("POST", `/orgs/${name}/teams`, { as: bob, body })).json.id;
    expect((await api.call("PUT", `/teams/${team}/members/alice`, { as: bob })).status).toBe(204);
    await api.call("PATCH", path, { as: alice, body: { private: false } });
    expect(await offer(name)).toBe(201);
    const stranger = await api.makeUser();
    const seen = async (as?: Caller) =>
      (await api.call("GET", path, { as })).json.repo_transfer?.recipient.login ?? null;
    expect(await Promise.all([bob, alice, boss, stranger, undefined].map(seen))).toEqual([
      ...[name, name, name],
      ...[null, null],
    ]);
    const listed = await api.call("GET", `/repos/search?q=thing-${made}`, { as: bob });
    expect(listed.json.data[0].repo_transfer.recipient.login).toBe(name);
  });

  it("hides its starter from callers who may not know of them", async () => {
    const name = `mask-${made}`;
    await api.call("POST", "/orgs", { as: alice, body: { username: name } });
    const hidden = await api.makeUser({ visibility: "private" });
    const team = (await api.call("GET", `/orgs/${name}/teams`, { as: alice })).json[0].id;
    expect((await api.call("PUT", `/teams/${team}/members/${hidden.name}`, { as: boss })).status).toBe(204);
    await api.call("POST", `/orgs/${name}/repos`, { as: alice, body: { name: "face" } });
    const body = { new_owner: "bob" };
    const started = await api.call("POST", `/repos/${name}/face/transfer`, { as: hidden, body });
    expect(started.status).toBe(201);
    const seen = async (as?: Caller) =>
      (await api.call("GET", `/repos/${name}/face`, { as })).json.repo_transfer?.doer.login ?? null;
    expect(await Promise.all([bob, undefined].map(seen))).toEqual([hidden.name, null]);
  });
});
