import { describe, expect, it } from "vitest";
import { findAccess } from "#core/access/repository-access";
import { createBlock, removeBlock } from "#core/block/block";
import { setCollaborator } from "#core/collaborator/collaborator";
import { defined } from "#core/defined";
import type { Caller } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { namesIn } from "../organization/make.ts";
import {
  add,
  alice,
  api,
  at,
  bob,
  boss,
  carol,
  permission,
  remove,
  useCollaborators,
} from "./collaborators-world.ts";

useCollaborators();

const repository = async (name: string) => {
  const found = await findAccess(api.forge, { user: alice.user }, "alice", name);
  if (found === undefined) throw new Error(`${name} is not there`);
  return found.repository;
};

describe("repoAddCollaborator", () => {
  it("204: write unless said otherwise; known words change it, others do not (OP-repoAddCollaborator)", async () => {
    expect((await add("r1", "bob")).status).toBe(204);
    expect(await permission("r1", "bob")).toBe("write");
    for (const [word, mode] of [
      ["read", "read"],
      ["bogus", "read"],
      ["", "read"],
      ["admin", "admin"],
      ["owner", "admin"],
    ]) {
      expect((await add("r1", "BOB", word)).status).toBe(204);
      expect(await permission("r1", "bob")).toBe(mode);
    }
    await remove("r1", "bob");
  });

  it("204: what each mode gives, and that it is gone at once (semantics §3.8)", async () => {
    const see = async (method: string, path: string, body?: object) =>
      (await api.call(method, `/repos/alice/r1${path}`, { as: bob, ...defined({ body }) })).status;
    const issue = () => see("POST", "/issues", { title: "t" });
    expect(await see("GET", "")).toBe(404);
    await add("r1", "bob", "read");
    expect([await see("GET", ""), await issue(), await see("PATCH", "", {})]).toEqual([200, 201, 403]);
    await add("r1", "bob", "write");
    expect([await see("PATCH", "", {}), await see("GET", "/hooks")]).toEqual([403, 403]);
    await add("r1", "bob", "admin");
    expect([await see("PATCH", "", {}), await see("GET", "/hooks"), await see("DELETE", "")]).toEqual([
      200, 200, 403,
    ]);
    await remove("r1", "bob");
    expect([await see("GET", ""), await issue()]).toEqual([404, 404]);
  });

  it("204: a restricted user, and a repository of a private owner", async () => {
    const shut = await api.makeUser({ name: "shut", isRestricted: true });
    const hermit = await api.makeUser({ name: "hermit", visibility: "private" });
    await api.call("POST", "/user/repos", { as: hermit, body: { name: "cave" } });
    const see = async (as: Caller, path: string) => (await api.call("GET", `/repos/${path}`, { as })).status;
    expect([await see(shut, "alice/r3"), await see(bob, "hermit/cave")]).toEqual([404, 404]);
    await add("r3", "shut", "read");
    await api.call("PUT", "/repos/hermit/cave/collaborators/bob", { as: hermit });
    expect([await see(shut, "alice/r3"), await see(bob, "hermit/cave")]).toEqual([200, 200]);
    await remove("r3", "shut");
  });

  it("401, 403, 404", async () => {
    expect((await api.call("PUT", at("r3", "bob"), { body: {} })).status).toBe(401);
    expect((await add("r3", "bob", "read", bob)).status).toBe(403);
    expect((await add("r1", "bob", "read", bob)).status).toBe(404);
  });

  it.each([
    ["an unknown user", "nobody"],
    ["a user that the caller may not know of", "recluse"],
    ["an organization", "acme"],
    ["the owner", "alice"],
  ])("422: %s", async (_what, who) => {
    expect((await add("r1", who)).status).toBe(422);
  });
});

describe("repoListCollaborators", () => {
  it("200: all rows unless a page is asked (D-PAGING, OP-repoListCollaborators)", async () => {
    await add("r2", "bob", "read");
    await add("r2", "carol", "admin");
    const all = await api.call("GET", at("r2"), { as: bob });
    expect(namesIn(all)).toEqual(["bob", "carol"]);
    expect(all.headers.get("x-total-count")).toBe("2");
    expect(namesIn(await api.call("GET", `${at("r2")}?limit=1&page=2`, { as: bob }))).toEqual(["carol"]);
    expect((await api.call("GET", at("r3"))).status).toBe(401);
    expect((await api.call("GET", at("r2"))).status).toBe(404);
  });
});

describe("repoCheckCollaborator", () => {
  it("204 or 404 without a body, 422 for no user (D-CHECK, OP-repoCheckCollaborator, ERR-204, ERR-404)", async () => {
    await add("r2", "bob", "read");
    const ask = async (who: string, as: Caller | undefined = alice) => {
      const { status, text } = await api.call("GET", at("r2", who), { as });
      return [status, status < 405 && status !== 401 ? text : ""];
    };
    expect(await ask("BOB")).toEqual([204, ""]);
    expect(await ask("boss")).toEqual([404, ""]);
    expect(await ask("alice")).toEqual([404, ""]);
    expect((await ask("nobody"))[0]).toBe(422);
    expect((await api.call("GET", at("r3", "bob"))).status).toBe(401);
    expect((await api.call("GET", at("r2", "bob"))).status).toBe(404);
  });
});

describe("repoDeleteCollaborator", () => {
  it("204: also when they were none; 401, 403, 404, 422 (OP-repoDeleteCollaborator)", async () => {
    await add("r2", "bob", "read");
    expect((await remove("r2", "bob")).status).toBe(204);
    expect((await remove("r2", "bob")).status).toBe(204);
    expect((await api.call("GET", at("r2", "bob"), { as: alice })).status).toBe(404);
    expect((await api.call("DELETE", at("r3", "bob"))).status).toBe(401);
    expect((await remove("r3", "bob", bob)).status).toBe(403);
    expect((await remove("r2", "bob", bob)).status).toBe(404);
    expect((await remove("r2", "nobody")).status).toBe(422);
  });
});

describe("repoGetRepoPermissions", () => {
  it("200: for oneself and administrators; 403 for others, 404 for no user", async () => {
    await add("r2", "bob", "read");
    expect(await permission("r2", "bob")).toBe("read");
    expect(await permission("r2", "bob", bob)).toBe("read");
    expect(await permission("r2", "alice")).toBe("owner");
    expect(await permission("r2", "boss")).toBe("owner");
    const { json } = await api.call("GET", `${at("r2", "bob")}/permission`, { as: bob });
    expect(json).toMatchObject({ permission: "read", role_name: "read", user: { login: "bob" } });
    const ask = async (who: string, as: Caller) =>
      (await api.call("GET", `${at("r2", who)}/permission`, { as })).status;
    expect([await ask("alice", bob), await ask("nobody", alice)]).toEqual([403, 404]);
    await remove("r2", "carol");
    expect(await permission("r2", "carol", boss)).toBe("none");
  });
});

describe("a block between owner and user", () => {
  it("403: keeps them from becoming a collaborator; ends the rights of both", async () => {
    const dave = await api.makeUser({ name: "dave" });
    await api.call("POST", "/user/repos", { as: dave, body: { name: "den", private: true } });
    await add("r1", "dave");
    await api.call("PUT", "/repos/dave/den/collaborators/alice", { as: dave, body: {} });
    await createBlock(api.forge, dave.user, alice.user);
    await finishJobs(api);
    expect((await api.call("GET", "/repos/alice/r1", { as: dave })).status).toBe(404);
    expect((await api.call("GET", "/repos/dave/den", { as: alice })).status).toBe(404);
    expect((await add("r1", "dave")).status).toBe(403);
    await removeBlock(api.forge, dave.user.id, alice.user.id);
    expect((await add("r1", "dave")).status).toBe(204);
    await remove("r1", "dave");
  });
});

describe("repoDeleteCollaborator and what the caller may not know", () => {
  it("204: an administrator takes the rights of a private user away; 422 when they have none", async () => {
    const shy = await api.makeUser({ name: "shy", visibility: "private" });
    await setCollaborator(api.forge, await repository("r1"), shy.user.id, "read");
    expect((await remove("r1", "shy")).status).toBe(204);
    expect((await remove("r1", "shy")).status).toBe(422);
  });
});

describe("collaborators.set", () => {
  it("refuses a repository that is gone meanwhile, or another's", async () => {
    const found = await repository("r1");
    const set = (ownerId: number, id = found.id) =>
      setCollaborator(api.forge, { id, ownerId }, bob.user.id, "read");
    await expect(set(carol.user.id)).rejects.toThrow("another owner");
    await expect(set(found.ownerId, 99_999)).rejects.toThrow("gone");
    await expect(setCollaborator(api.forge, found, 99_999, "read")).rejects.toThrow("account");
  });
});
