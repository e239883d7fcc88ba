import { describe, expect, it } from "vitest";
import { finishJobs } from "#tests/support/jobs";
import { join, makeOrganization, makeTeam, namesIn } from "../../organization/make.ts";
import {
  alice,
  answer,
  api,
  bob,
  boss,
  builders,
  carol,
  checked,
  id,
  made,
  name,
  read,
  statusOf,
  transfer,
  useTransfers,
} from "./transfer-world.ts";

useTransfers();

describe("acceptRepoTransfer", () => {
  it("201, then 202: the recipient may read it, takes it, and the old path leads on", async () => {
    const pending = await transfer("bob");
    expect(pending.status).toBe(201);
    expect(pending.json).toMatchObject({
      id,
      full_name: `alice/${name}`,
      repo_transfer: { doer: { login: "alice" }, recipient: { login: "bob" }, teams: [] },
    });
    expect((await read(`alice/${name}`, bob)).json.repo_transfer.recipient.login).toBe("bob");
    expect((await read(`alice/${name}`, bob)).json.permissions).toMatchObject({ pull: true, push: false });
    expect(await statusOf(`alice/${name}`, carol)).toBe(404);
    const taken = await answer("accept", bob);
    expect(taken.status).toBe(202);
    expect(taken.json).toMatchObject({ id, full_name: `bob/${name}`, repo_transfer: null });
    expect(taken.json.permissions.admin).toBe(true);
    const moved = await read(`alice/${name}`, bob);
    expect([moved.status, moved.headers.get("location")]).toEqual([
      307,
      expect.stringMatching(new RegExp(`/repos/bob/${name}$`)),
    ]);
    // It is private and belongs to the new owner now.
    expect([await statusOf(`alice/${name}`, alice), await statusOf(`bob/${name}`, alice)]).toEqual([
      404, 404,
    ]);
    expect(namesIn(await api.call("GET", "/user/repos?limit=50", { as: alice }))).not.toContain(
      `bob/${name}`,
    );
    expect(namesIn(await api.call("GET", "/user/repos?limit=50", { as: bob }))).toContain(`bob/${name}`);
    await finishJobs(api);
    await checked();
  });

  it("403: nobody but the recipient answers it; 404: nothing is pending, or it is hidden (B-18)", async () => {
    await api.call("PATCH", `/repos/alice/${name}`, { as: alice, body: { private: false } });
    expect((await answer("accept", bob)).status).toBe(404);
    await transfer("bob");
    for (const word of ["accept", "reject"] as const) {
      for (const as of [alice, carol, boss]) expect((await answer(word, as)).status).toBe(403);
    }
    await api.call("PATCH", `/repos/alice/${name}`, { as: alice, body: { private: true } });
    expect((await answer("accept", carol)).status).toBe(404);
  });

  it("409: a second one while the first is pending", async () => {
    await transfer("bob");
    expect((await transfer("carol")).status).toBe(409);
    expect((await transfer("acme", boss)).status).toBe(409);
  });

  it("202 once: accepted twice at the same time, and once more", async () => {
    await transfer("bob");
    const answers = await Promise.all([answer("accept", bob), answer("accept", bob)]);
    expect(answers.map(({ status }) => status).filter((status) => status === 202)).toHaveLength(1);
    expect((await answer("accept", bob)).status).toBe(307);
    expect((await api.call("POST", `/repos/bob/${name}/transfer/accept`, { as: bob })).status).toBe(404);
    await checked();
  });

  it("422: accepted when the recipient has a repository of this name by now", async () => {
    await transfer("bob");
    const body = { name: name.toLowerCase() };
    await api.call("POST", "/user/repos", { as: bob, body });
    expect((await answer("accept", bob)).status).toBe(422);
    expect(await statusOf(`alice/${name}`, alice)).toBe(200);
  });

  it("201: to an organization, whose creators may read and take it; its teams have it then", async () => {
    const triage = await makeTeam(api, carol, "acme", `triage-${made}`);
    const member = await api.makeUser();
    await join(api, carol, triage, member);
    const { status, json } = await transfer("acme", alice, { team_ids: [triage] });
    expect(status).toBe(201);
    expect(json.repo_transfer.teams).toMatchObject([{ id: triage }]);
    expect(await statusOf(`alice/${name}`, bob)).toBe(200);
    expect(await statusOf(`alice/${name}`, member)).toBe(404);
    expect((await answer("accept", bob)).status).toBe(202);
    // In no team that has it: the former owner gave it to others.
    expect(await statusOf(`acme/${name}`, bob)).toBe(404);
    expect(await statusOf(`acme/${name}`, member)).toBe(200);
    expect(namesIn(await api.call("GET", `/teams/${triage}/repos`, { as: carol }))).toEqual([`acme/${name}`]);
    await finishJobs(api);
    await checked();
  });
});

describe("rejectRepoTransfer", () => {
  it("200: rejected by the recipient, who can read it no more; it may then be offered to another", async () => {
    await transfer("bob");
    const { status, json } = await answer("reject", bob);
    expect([status, json.repo_transfer, json.full_name]).toEqual([200, null, `alice/${name}`]);
    expect(await statusOf(`alice/${name}`, bob)).toBe(404);
    expect((await transfer("carol")).status).toBe(201);
    await checked();
  });

  it("200: a collaborator who rejects it stays one", async () => {
    const body = { permission: "write" };
    await api.call("PUT", `/repos/alice/${name}/collaborators/bob`, { as: alice, body });
    await transfer("bob");
    await answer("reject", bob);
    expect((await read(`alice/${name}`, bob)).json.permissions.push).toBe(true);
  });
});

describe("repoTransfer", () => {
  it("202: by an administrator, and to an organization where the caller may create repositories", async () => {
    expect((await transfer("carol", boss)).json.full_name).toBe(`carol/${name}`);
    const back = await api.call("POST", `/repos/carol/${name}/transfer`, {
      as: carol,
      body: { new_owner: "secret" },
    });
    expect([back.status, back.json.full_name]).toEqual([202, `secret/${name}`]);
    // Two moves: both former paths lead to it, for users who may see it.
    for (const path of [`alice/${name}`, `carol/${name}`]) {
      expect((await read(path, carol)).headers.get("location")).toContain(`/secret/${name}`);
      expect(await statusOf(path, alice)).toBe(404);
    }
    await checked();
  });
});

describe("repoTransfer: refused", () => {
  it("404: to nobody, and to an organization that the caller can't see", async () => {
    expect((await transfer("nobody")).status).toBe(404);
    expect((await transfer("secret")).status).toBe(404);
  });

  it("422: to its own owner, and to one who has a repository of this name", async () => {
    expect((await transfer("alice")).status).toBe(422);
    await api.call("POST", "/user/repos", { as: bob, body: { name } });
    const { status, json } = await transfer("bob");
    expect([status, json.message]).toEqual([422, expect.stringContaining("already exists")]);
  });

  it("422: teams of a user, unknown teams; 403: teams of another organization", async () => {
    expect((await transfer("bob", alice, { team_ids: [builders] })).status).toBe(422);
    expect((await transfer("acme", alice, { team_ids: [99_999] })).status).toBe(422);
    await makeOrganization(api, alice, `other-${made}`);
    expect((await transfer(`other-${made}`, alice, { team_ids: [builders] })).status).toBe(403);
  });

  it("403: to who blocks the caller", async () => {
    const block = (method: string) => api.call(method, "/orgs/acme/blocks/alice", { as: carol });
    expect((await block("PUT")).status).toBe(204);
    expect((await transfer("acme")).status).toBe(403);
    expect((await block("DELETE")).status).toBe(204);
  });

  it("403, 401, 404: by administrators of the repository, anonymous callers, strangers", async () => {
    const body = { permission: "admin" };
    await api.call("PUT", `/repos/alice/${name}/collaborators/bob`, { as: alice, body });
    expect((await transfer("bob", bob)).status).toBe(403);
    expect((await transfer("carol", carol)).status).toBe(404);
    await api.call("PATCH", `/repos/alice/${name}`, { as: alice, body: { private: false } });
    const anonymous = await api.call("POST", `/repos/alice/${name}/transfer`, { body: { new_owner: "bob" } });
    expect(anonymous.status).toBe(401);
  });
});
