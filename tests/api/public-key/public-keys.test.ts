import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicKeyKey } from "#core/public-key/public-key.table";
import { put } from "#core/table/write";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { makeKeyLine } from "#tests/support/keys";
import { writeMany } from "#tests/support/write-many";

let api: TestApi;
let boss: Caller;
let alice: Caller;
let bob: Caller;
beforeAll(async () => {
  api = await makeApi();
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

const add = (as: Caller, body: object, path = "/user/keys") => api.call("POST", path, { as, body });
const idsOf = (rows: JsonValue): number[] => rows.map(({ id }: JsonValue) => id);

describe("userCurrentPostKey", () => {
  it("201: the key with its fingerprint, comment and kind (RES-PublicKey)", async () => {
    const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMiXj6RmGjm31LeIyFWV9UvR9W2QRNxth3t3GGjpXl9p jo@example";
    const { status, json } = await add(alice, { title: " laptop ", key: ` ${key}\n` });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(Number),
      key,
      url: `http://127.0.0.1:3000/api/v1/user/keys/${json.id}`,
      title: "laptop",
      fingerprint: "SHA256:lF/fL0usaAF2/yyiYljQ8TQJxXGAdOIcemQ/d4ZmW/I",
      created_at: "2030-01-02T03:04:05Z",
      user: expect.objectContaining({ login: "alice" }),
      read_only: false,
      key_type: "user",
    });
  });

  it("422: what is no key, and no or too long a title", async () => {
    const bad = await add(alice, { title: "k3", key: "garbage" });
    expect([bad.status, bad.json.message]).toEqual([422, expect.stringContaining("Invalid key content")]);
    for (const [field, body] of [
      ["Title", { key: makeKeyLine() }],
      ["Title", { title: "  ", key: makeKeyLine() }],
      ["Title", { title: "x".repeat(256), key: makeKeyLine() }],
      ["Key", { title: "none" }],
    ] as const) {
      const { status, json } = await add(alice, body);
      expect([status, json.message]).toEqual([422, expect.stringContaining(`[${field}]`)]);
    }
  });

  it("422: a key that anybody has already, whatever its comment and form, and a title that the user has", async () => {
    const line = makeKeyLine();
    expect((await add(alice, { title: "shared", key: line, read_only: true })).json.read_only).toBe(true);
    const [type, base64] = line.split(" ");
    for (const [who, key] of [
      [bob, line],
      [alice, `${type} ${base64} another comment`],
      [bob, base64],
    ] as const) {
      const { status, json } = await add(who, { title: "again", key });
      expect([status, json.message]).toEqual([422, "Key content has been used as non-deploy key"]);
    }
    const titled = await add(alice, { title: "shared", key: makeKeyLine() });
    expect([titled.status, titled.json.message]).toEqual([422, expect.stringContaining("title")]);
    expect((await add(bob, { title: "shared", key: makeKeyLine() })).status).toBe(201);
  });

  it("of the same key added twice at once, one is taken", async () => {
    const key = makeKeyLine();
    const both = await Promise.all([alice, bob].map((who) => add(who, { title: "at once", key })));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  it("422: at most 100 keys of one account", async () => {
    const many = await api.makeUser();
    const rows = Array.from({ length: 99 }, (_, at) =>
      put({ ...publicKeyKey(many.user.id, 1_000 + at), _v: 1 }),
    );
    await writeMany(api.forge, rows);
    expect((await add(many, { title: "last", key: makeKeyLine() })).status).toBe(201);
    const { status, json } = await add(many, { title: "more", key: makeKeyLine() });
    expect([status, json.message]).toEqual([422, expect.stringContaining("at most 100")]);
  });
});

describe("userCurrentListKeys", () => {
  it("200: pages of the caller's own keys, and the one of a fingerprint", async () => {
    const lister = await api.makeUser();
    const made: JsonValue[] = [];
    for (const title of ["one", "two", "three"]) {
      made.push((await add(lister, { title, key: makeKeyLine() })).json);
    }
    const page = await api.call("GET", "/user/keys?limit=2&page=2", { as: lister });
    expect([page.status, idsOf(page.json), page.headers.get("x-total-count")]).toEqual([
      ...[200, [made[2].id], "3"],
    ]);
    const found = (query: string) => api.call("GET", `/user/keys?fingerprint=${query}`, { as: lister });
    for (const written of [made[1].fingerprint, encodeURIComponent(made[1].fingerprint)]) {
      expect(idsOf((await found(written)).json)).toEqual([made[1].id]);
    }
    expect((await found("SHA256:unknown")).json).toEqual([]);
  });

  it("200: a key of anybody by its fingerprint, without telling whose; none of hidden users", async () => {
    const ownerAndKey = async (visibility: "public" | "private") => {
      const owner = await api.makeUser({ visibility });
      return { owner, key: (await add(owner, { title: "t", key: makeKeyLine("me@machine") })).json };
    };
    const [shown, hidden] = [await ownerAndKey("public"), await ownerAndKey("private")];
    const find = async (key: JsonValue, as: Caller) =>
      (await api.call("GET", `/user/keys?fingerprint=${encodeURIComponent(key.fingerprint)}`, { as })).json;
    const [found] = await find(shown.key, bob);
    expect(found).toMatchObject({ id: shown.key.id, fingerprint: shown.key.fingerprint });
    expect([found.user, found.key]).toEqual([undefined, expect.not.stringContaining("me@machine")]);
    for (const as of [shown.owner, boss])
      expect((await find(shown.key, as))[0].user.login, as.name).toBe(shown.owner.name);
    expect(await find(hidden.key, bob)).toEqual([]);
  });
});

describe("userCurrentGetKey", () => {
  it("200 for an own key, 404 for another's and for none", async () => {
    const { json } = await add(alice, { title: "got", key: makeKeyLine() });
    const got = await api.call("GET", `/user/keys/${json.id}`, { as: alice });
    expect([got.status, got.json]).toEqual([200, json]);
    expect((await api.call("GET", `/user/keys/${json.id}`, { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/user/keys/999999", { as: alice })).status).toBe(404);
  });
});

describe("userCurrentDeleteKey", () => {
  it("204, and key and title may be taken again; 403 for another's key, 404 for none", async () => {
    const key = makeKeyLine();
    const { json } = await add(alice, { title: "to go", key });
    const remove = (as: Caller) => api.call("DELETE", `/user/keys/${json.id}`, { as });
    expect((await remove(bob)).status).toBe(403);
    expect((await remove(alice)).status).toBe(204);
    expect([(await remove(alice)).status, (await remove(bob)).status]).toEqual([404, 404]);
    expect((await add(bob, { title: "found", key })).status).toBe(201);
    expect((await add(alice, { title: "to go", key: makeKeyLine() })).status).toBe(201);
  });

  it("of two who remove a key at once, one is told that it is gone", async () => {
    const { json } = await add(alice, { title: "twice", key: makeKeyLine() });
    const both = await Promise.all(
      [1, 2].map(() => api.call("DELETE", `/user/keys/${json.id}`, { as: alice })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
  });
});

describe("userListKeys", () => {
  it("200: anybody's keys for callers who are logged in, without the comments; 404 for hidden users", async () => {
    const shown = await api.makeUser();
    const key = makeKeyLine("me@secret-machine");
    await add(shown, { title: "t", key });
    const path = `/users/${shown.name}/keys`;
    const { status, json } = await api.call("GET", path, { as: bob });
    expect([status, json[0].key, json[0].user]).toEqual([
      200,
      key.replace(" me@secret-machine", ""),
      undefined,
    ]);
    for (const as of [shown, boss])
      expect((await api.call("GET", path, { as })).json[0].key, as.name).toBe(key);
    expect((await api.call("GET", path)).status).toBe(401);
    const hidden = await api.makeUser({ visibility: "private" });
    expect((await api.call("GET", `/users/${hidden.name}/keys`, { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/users/nobody-here/keys", { as: bob })).status).toBe(404);
  });
});

describe("adminCreatePublicKey", () => {
  it("201: a key of the named user; 422 as for oneself, 404 for unknown users, 403 for who is no administrator", async () => {
    const path = "/admin/users/alice/keys";
    const key = makeKeyLine();
    const { status, json } = await add(boss, { title: "by boss", key }, path);
    expect([status, json.user.login, json.key]).toEqual([201, "alice", key]);
    expect((await add(boss, { title: "k2", key }, path)).status).toBe(422);
    expect((await add(boss, { title: "k3", key: "garbage" }, path)).status).toBe(422);
    expect((await add(boss, { title: "by boss", key: makeKeyLine() }, path)).status).toBe(422);
    expect((await add(boss, { title: "t", key: makeKeyLine() }, "/admin/users/none/keys")).status).toBe(404);
    expect((await add(alice, { title: "own", key: makeKeyLine() }, path)).status).toBe(403);
  });
});

describe("adminDeleteUserPublicKey", () => {
  it("204; 404 for an unknown key, 403 for the key of another user (semantics §26)", async () => {
    const { json } = await add(alice, { title: "for boss", key: makeKeyLine() });
    const remove = (name: string, id: number) =>
      api.call("DELETE", `/admin/users/${name}/keys/${id}`, { as: boss });
    expect((await remove("bob", json.id)).status).toBe(403);
    expect((await remove("alice", json.id)).status).toBe(204);
    expect((await remove("alice", json.id)).status).toBe(404);
    expect((await remove("alice", 999_999)).status).toBe(404);
  });
});
