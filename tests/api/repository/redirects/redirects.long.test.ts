import { describe, expect, it } from "vitest";
import { setRepository } from "#tests/support/set-listed";
import { remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import {
  alice,
  api,
  checked,
  create,
  folders,
  id,
  name,
  read,
  rename,
  served,
  useRedirects,
} from "./redirects-world.ts";

useRedirects();

describe("a repository's former name", () => {
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
    let called = name;
    for (const auto_init of [false, true]) {
      await rename(called, `${called}-${auto_init}`);
      const other = await create(called, { auto_init });
      expect((await read(called.toLowerCase())).json.id).toBe(other);
      expect((await api.call("DELETE", `/repos/alice/${called}`, { as: alice })).status).toBe(204);
      called = `${called}-${auto_init}`;
    }
    const other = await create(`${called}-other`);
    await rename(called, `${called}-x`);
    expect((await rename(`${called}-other`, called)).status).toBe(200);
    expect((await read(called)).json.id).toBe(other);
    expect((await read(`${called}-other`)).headers.get("location")).toContain(called);
    await checked();
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
