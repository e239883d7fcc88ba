import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Caller, JsonValue } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { type LfsWorld, startLfs } from "./world.ts";

let world: LfsWorld;
beforeAll(async () => {
  world = await startLfs({ LFS_LOCKS_PAGING_NUM: "5" });
});
beforeEach(async () => {
  await world.begin();
  await world.api.call("PUT", `/repos/alice/${world.name}/collaborators/bob`, {
    as: world.alice,
    body: { permission: "write" },
  });
});
afterAll(() => world.api.stop());

const lock = (path: unknown, as = world.alice) =>
  world.ask("POST", "locks", { as, body: { path, ref: { name: "refs/heads/main" } } });
const unlock = (id: string, as = world.alice, body: object = {}) =>
  world.ask("POST", `locks/${id}/unlock`, { as, body });
const list = async (query = "", as = world.alice): Promise<JsonValue> => {
  const { status, json, text } = await world.ask("GET", `locks${query}`, { as });
  expect(status, text).toBe(200);
  return json;
};
const verify = async (as: Caller, body: object = {}): Promise<JsonValue> =>
  (await world.ask("POST", "locks/verify", { as, body })).json;
const pathsOf = (locks: { path: string }[]) => locks.map(({ path }) => path);

describe("locks (semantics §55.5)", () => {
  it("201: a path is the caller's; 409 with the lock for everybody then, in any letter case", async () => {
    const made = await lock("dir/a.bin");
    expect(made.status).toBe(201);
    expect(made.json.lock).toEqual({
      id: expect.stringMatching(/^\d+$/),
      path: "dir/a.bin",
      locked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      owner: { name: "alice" },
    });
    for (const as of [world.alice, world.bob]) {
      const again = await lock("DIR/A.bin", as);
      expect([again.status, again.json.lock]).toEqual([409, made.json.lock]);
      expect(again.json.message).toMatch(/locked already/);
    }
    expect((await list("?path=dir/a.bin")).locks).toEqual([made.json.lock]);
    expect((await list(`?id=${made.json.lock.id}`, world.bob)).locks).toEqual([made.json.lock]);
    expect((await list("?path=other")).locks).toEqual([]);
    expect((await list("?refspec=refs%2Fheads%2Fother")).locks).toEqual([made.json.lock]);
  });

  it("are ours and theirs to each", async () => {
    await lock("mine");
    await lock("hers", world.bob);
    const shown = await verify(world.bob);
    expect([pathsOf(shown.ours), pathsOf(shown.theirs)]).toEqual([["hers"], ["mine"]]);
  });

  it("end by their owner; by others with force alone; once", async () => {
    const { id } = (await lock("a")).json.lock;
    expect((await unlock(id, world.bob)).status).toBe(403);
    expect((await unlock(id, world.bob, { force: false })).status).toBe(403);
    const ended = await unlock(id, world.bob, { force: true });
    expect([ended.status, ended.json.lock.owner.name]).toEqual([200, "alice"]);
    expect((await unlock(id)).status).toBe(404);
    expect((await lock("a", world.bob)).status).toBe(201);
    const own = (await list("?path=a")).locks[0];
    expect((await unlock(own.id, world.bob)).status).toBe(200);
    expect((await list()).locks).toEqual([]);
  });

  it("404: a lock of another repository, and what is none", async () => {
    const { id } = (await lock("a")).json.lock;
    await makeRepository(world.api, world.alice, `other-${world.id}`);
    const elsewhere = `alice/other-${world.id}`;
    const body = { force: true };
    const asked = await world.ask("POST", `locks/${id}/unlock`, { as: world.alice, body }, elsewhere);
    expect(asked.status).toBe(404);
    for (const odd of ["0", "99999", "x", "-1", "1e3", "9".repeat(30)]) {
      expect((await unlock(odd, world.alice, body)).status, odd).toBe(404);
    }
    expect((await list()).locks).toHaveLength(1);
  });

  it.each([
    ["../../etc/passwd", "etc/passwd"],
    ["/a/./b//c/", "a/b/c"],
    ["a/../../../b", "b"],
    ["grüße/ß.bin", "grüße/ß.bin"],
  ])("%s stays in the repository: %s", async (path, cleaned) => {
    expect((await lock(path)).json.lock.path).toBe(cleaned);
    expect((await lock(cleaned)).status).toBe(409);
  });

  it.each([
    ["no path", {}, 422],
    ["an empty one", { path: "" }, 400],
    ["the root", { path: "../.." }, 400],
    ["a long one", { path: "a".repeat(4097) }, 400],
    ["a number", { path: 1 }, 422],
    ["a NUL", { path: "a\0b" }, 400],
  ])("are refused for %s", async (_what, body, status) => {
    const answer = await world.ask("POST", "locks", { as: world.alice, body });
    expect([answer.status, typeof answer.json.message]).toEqual([status, "string"]);
  });

  it("come in pages, each once, whatever ends meanwhile", async () => {
    const made: string[] = [];
    for (let at = 0; at < 12; at += 1)
      made.push((await lock(`f${at}`, at % 2 ? world.bob : world.alice)).json.lock.id);
    const first = await list();
    expect([first.locks.length, typeof first.next_cursor]).toEqual([5, "string"]);
    await unlock(made[4] ?? "", world.alice, { force: true });
    const second = await list(`?cursor=${first.next_cursor}&limit=100`);
    const third = await list(`?cursor=${second.next_cursor}`);
    expect(third.next_cursor).toBeUndefined();
    const seen = [first, second, third].flatMap(({ locks }) => pathsOf(locks));
    expect(seen).toEqual(Array.from({ length: 12 }, (_, at) => `f${at}`));
    const page = await verify(world.bob, { limit: 3 });
    expect([page.ours.length + page.theirs.length, typeof page.next_cursor]).toEqual([3, "string"]);
    const rest = await verify(world.bob, { cursor: page.next_cursor });
    expect([...page.ours, ...page.theirs, ...rest.ours, ...rest.theirs]).toHaveLength(8);
  });

  it("400: a cursor, a limit or an id that is none", async () => {
    for (const query of ["?cursor=x", "?limit=x", "?id=x", "?limit=-1"]) {
      expect((await world.ask("GET", `locks${query}`, { as: world.alice })).status, query).toBe(400);
    }
    const answer = await world.ask("POST", "locks", { as: world.alice, raw: "{" });
    expect(answer.status).toBe(400);
  });

  it("of one path at once has one winner, and the others get its lock", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => lock("raced", at % 2 ? world.bob : world.alice)),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    for (const { json } of answers) expect(json.lock).toEqual(won[0]?.json.lock);
    const ends = await Promise.all(
      Array.from({ length: 4 }, () => unlock(won[0]?.json.lock.id, world.alice, { force: true })),
    );
    expect(ends.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect((await lock("raced")).status).toBe(201);
  });

  it("are listed by readers, and taken by writers alone", async () => {
    await lock("a");
    const carol = await world.api.makeUser({});
    expect((await list("", carol)).locks).toHaveLength(1);
    expect((await lock("b", carol)).status).toBe(403);
    expect((await world.ask("POST", "locks/verify", { as: carol, body: {} })).status).toBe(403);
  });

  it("of a user who is gone are a ghost's, and end with force", async () => {
    const carol = await world.api.makeUser({});
    await world.api.call("PUT", `/repos/alice/${world.name}/collaborators/${carol.name}`, {
      as: world.alice,
      body: { permission: "write" },
    });
    const { id } = (await lock("left", carol)).json.lock;
    const admin = await world.api.makeUser({ isAdmin: true });
    const gone = await world.api.call("DELETE", `/admin/users/${carol.name}`, { as: admin });
    expect(gone.status, gone.text).toBe(204);
    world.api.settle();
    expect((await list()).locks[0].owner.name).toBe("Ghost");
    expect((await unlock(id, world.alice, { force: true })).status).toBe(200);
  });
});
