import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { basic, type Caller } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { setRepository } from "#tests/support/set-listed";
import { type LfsWorld, named, startLfs } from "./world.ts";

let world: LfsWorld;
beforeAll(async () => {
  world = await startLfs();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const any = named("any");
const path = () => `/repos/alice/${world.name}`;
const letIn = (permission: string) =>
  world.api.call("PUT", `${path()}/collaborators/bob`, { as: world.alice, body: { permission } });
const edit = (body: object) => world.api.call("PATCH", path(), { as: world.alice, body });
/** As a caller who shows a token of these scopes. */
const scoped = async (caller: Caller, ...scopes: string[]) => ({
  ...caller,
  token: await world.api.makeToken(caller, scopes),
});
const ask = (operation: string, as: Caller | undefined, repository?: string) =>
  world.ask("POST", "objects/batch", { as, body: { operation, objects: [any] } }, repository);

describe("who may have objects (semantics §55.2)", () => {
  it("public: everybody downloads, without credentials of any kind; writers upload", async () => {
    const object = await world.upload("open");
    const { actions } = await world.one("download", object, "nobody");
    expect(actions.download.header).toBeUndefined();
    expect((await world.act(actions.download, "GET")).text).toBe("open");
    expect((await ask("upload", world.bob)).status).toBe(403);
    await letIn("read");
    expect((await ask("upload", world.bob)).status).toBe(403);
    await letIn("write");
    expect((await ask("upload", world.bob)).status).toBe(200);
  });

  it("401 with a challenge: anonymous callers, of a private repository as of a missing one (D-CHALLENGE, D-HIDDEN)", async () => {
    await world.begin({ private: true });
    const answers = [
      await ask("download", undefined),
      await ask("download", undefined, "alice/missing"),
      await ask("download", undefined, "nobody/missing"),
    ];
    for (const { status, headers, json } of answers) {
      expect([status, headers.get("www-authenticate")]).toEqual([
        401,
        expect.stringMatching(/^Basic realm=/),
      ]);
      expect(headers.get("lfs-authenticate")).toBe(headers.get("www-authenticate"));
      expect(json.message).toBe(answers[0]?.json.message);
    }
    const paths = [
      ["GET", `objects/${any.oid}`],
      ["PUT", `objects/${any.oid}/${any.size}`],
      ["POST", "verify"],
      ["GET", "locks"],
      ["POST", "locks"],
      ["POST", "locks/verify"],
      ["POST", "locks/1/unlock"],
    ] as const;
    for (const [method, place] of paths) expect((await world.ask(method, place)).status, place).toBe(401);
  });

  it("404: signed-in callers, of a private repository as of a missing one", async () => {
    await world.begin({ private: true });
    const hidden = await ask("download", world.bob);
    const missing = await ask("download", world.bob, "alice/missing");
    expect([hidden.status, missing.status, hidden.json.message]).toEqual([404, 404, missing.json.message]);
    expect((await world.ask("GET", "locks", { as: world.bob })).status).toBe(404);
    await letIn("read");
    expect((await ask("download", world.bob)).status).toBe(200);
  });

  it("401: credentials that are none; uploads and locks of anonymous callers of a public repository", async () => {
    const wrong = { ...world.bob, token: "0".repeat(40) };
    expect((await ask("download", wrong)).status).toBe(401);
    expect((await ask("upload", undefined)).status).toBe(401);
    expect((await world.ask("GET", "locks")).status).toBe(401);
    const headers = basic("bob", "wrong");
    expect((await world.ask("GET", `objects/${any.oid}`, { headers })).status).toBe(401);
  });

  it("403: tokens without the scope, and those limited to what is public", async () => {
    await world.begin({ private: true });
    const reading = await scoped(world.alice, "read:repository");
    expect((await ask("download", reading)).status).toBe(200);
    expect((await world.ask("GET", "locks", { as: reading })).status).toBe(200);
    expect((await ask("upload", reading)).status).toBe(403);
    expect((await world.ask("POST", "locks", { as: reading, body: { path: "a" } })).status).toBe(403);
    const other = await scoped(world.alice, "write:issue");
    expect((await ask("download", other)).status).toBe(403);
    const open = await scoped(world.alice, "write:repository", "public-only");
    expect((await ask("download", open)).status).toBe(403);
    await edit({ private: false });
    expect((await ask("upload", open)).status).toBe(200);
  });

  it("403: archived repositories and mirrors are only read (D-ARCHIVED)", async () => {
    const object = await world.upload("kept");
    const lock = await world.ask("POST", "locks", { as: world.alice, body: { path: "a" } });
    await edit({ archived: true });
    const refused = async () => {
      expect((await ask("upload", world.alice)).status).toBe(403);
      const put = await world.ask("PUT", `objects/${any.oid}/${any.size}`, { as: world.alice, raw: "any" });
      expect(put.status).toBe(403);
      expect((await world.ask("POST", "locks", { as: world.alice, body: { path: "b" } })).status).toBe(403);
      const end = await world.ask("POST", `locks/${lock.json.lock.id}/unlock`, { as: world.alice, body: {} });
      expect(end.status).toBe(403);
      expect((await world.one("download", object)).actions.download.href).toMatch(object.oid);
      expect((await world.ask("GET", "locks", { as: world.alice })).json.locks).toHaveLength(1);
    };
    await refused();
    await edit({ archived: false });
    await setRepository(world.api.forge, world.id, { isMirror: true });
    await refused();
  });

  it("404: everything, where LFS is switched off", async () => {
    const off = await startLfs({ LFS_START_SERVER: "false" });
    try {
      await off.begin();
      expect((await off.batch("download", [any])).status).toBe(404);
      expect((await off.ask("GET", "locks", { as: off.alice })).status).toBe(404);
    } finally {
      await off.api.stop();
    }
  });
});

describe("the authorization that a batch hands out", () => {
  /** Nobody has it in another repository. */
  const content = () => `new in ${world.id}`;
  const actionsOf = async (operation: string, as = world.alice) =>
    (await world.one(operation, named(content()), as)).actions;

  it("is for one repository and one operation, in place of credentials", async () => {
    const { upload, verify } = await actionsOf("upload");
    expect(upload.header.Authorization).not.toContain(world.alice.token);
    expect(upload.expires_in).toBe(86_400);
    const { header } = upload;
    const elsewhere = await makeRepository(world.api, world.alice, `other-${world.id}`);
    expect(elsewhere).not.toBe(world.id);
    const { oid, size } = named(content());
    const put = (repository?: string) =>
      world.ask("PUT", `objects/${oid}/${size}`, { headers: header, raw: content() }, repository);
    expect((await put(`alice/other-${world.id}`)).status).toBe(404);
    expect((await put()).status).toBe(200);
    expect((await world.act(verify, "POST", { body: { oid, size } })).status).toBe(200);
    const other = [
      await world.ask("GET", `objects/${oid}`, { headers: header }),
      await world.ask("POST", "locks", { headers: header, body: { path: "a" } }),
      await world.ask("POST", "objects/batch", {
        headers: header,
        body: { operation: "upload", objects: [] },
      }),
    ];
    expect(other.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  it("ends with its time, with the rights, with the token and with the password behind it", async () => {
    await world.begin({ private: true });
    await letIn("write");
    const token = await world.api.call("POST", "/users/bob/tokens", {
      headers: basic("bob", world.bob.password),
      body: { name: `short-${world.id}`, scopes: ["write:repository"] },
    });
    const bob = { ...world.bob, token: token.json.sha1 };
    const { upload } = await actionsOf("upload", bob);
    const put = (action = upload) => world.act(action, "PUT", { raw: "wrong" });
    expect((await put()).status).toBe(422);
    await letIn("read");
    expect((await put()).status).toBe(403);
    await world.api.call("DELETE", `${path()}/collaborators/bob`, { as: world.alice });
    expect((await put()).status).toBe(404);
    await letIn("write");
    expect((await put()).status).toBe(422);
    await world.api.call("DELETE", `/users/bob/tokens/${token.json.id}`, {
      headers: basic("bob", world.bob.password),
    });
    expect((await put()).status).toBe(401);
    const late = (await actionsOf("upload")).upload;
    world.api.clock.advance(86_401_000);
    expect((await put(late)).status).toBe(401);
    const { name, password } = world.alice;
    const { json } = await world.ask("POST", "objects/batch", {
      headers: basic(name, password),
      body: { operation: "upload", objects: [named(content())] },
    });
    const byPassword = json.objects[0].actions.upload;
    expect((await put(byPassword)).status).toBe(422);
    const changed = { login_name: name, source_id: 0, password: `${password}-new` };
    const admin = await world.api.makeUser({ isAdmin: true });
    const answer = await world.api.call("PATCH", `/admin/users/${name}`, { as: admin, body: changed });
    expect(answer.status, answer.text).toBe(200);
    expect((await put(byPassword)).status).toBe(401);
  });

  it("ends with the rights and the token behind it while an object is still on its way", async () => {
    await letIn("write");
    const bob = { ...world.bob, token: await world.api.makeToken(world.bob, ["write:repository"]) };
    const asBob = { authorization: `token ${bob.token}` };
    const { upload } = await actionsOf("upload", bob);
    const put = (headers: Record<string, string>, change: () => Promise<unknown>) => {
      async function* pieces() {
        yield Buffer.from(content().slice(0, 3));
        await change();
        yield Buffer.from(content().slice(3));
      }
      return world.act(upload, "PUT", { headers, raw: ReadableStream.from(pieces()) });
    };
    expect((await put({}, () => letIn("read"))).status).toBe(403);
    await letIn("write");
    const tokens = await world.api.call("GET", "/users/bob/tokens", {
      headers: basic("bob", world.bob.password),
    });
    const { id } = tokens.json.find((one: { token_last_eight: string }) =>
      bob.token.endsWith(one.token_last_eight),
    );
    const end = () =>
      world.api.call("DELETE", `/users/bob/tokens/${id}`, { headers: basic("bob", world.bob.password) });
    expect((await put(asBob, end)).status).toBe(401);
    expect(await world.objects()).toEqual([]);
  });

  it("can't be made up", async () => {
    const { upload } = await actionsOf("upload");
    const made: string = upload.header.Authorization;
    for (const header of ["Bearer lfs:", "Bearer lfs:x.y.z", `${made.slice(0, -2)}AA`]) {
      expect(
        (await world.act(upload, "PUT", { headers: { Authorization: header }, raw: content() })).status,
      ).toBe(401);
    }
  });
});

describe("an object of another repository", () => {
  it("comes without an upload for who may read it there, and shares its file", async () => {
    await world.begin({ private: true });
    const object = await world.upload("shared");
    await makeRepository(world.api, world.alice, `copy-${world.id}`);
    const files = await world.files();
    expect(await world.one("upload", object, world.alice, `alice/copy-${world.id}`)).toEqual(object);
    const { actions } = await world.one("download", object, "nobody", `alice/copy-${world.id}`);
    expect((await world.act(actions.download, "GET")).text).toBe("shared");
    expect(await world.files()).toEqual(files);
  });

  it("has to be uploaded by everybody else: naming it proves nothing", async () => {
    await world.begin({ private: true });
    const object = await world.upload("secret plans");
    const mine = await makeRepository(world.api, world.bob, `mine-${world.id}`);
    const own = `bob/mine-${world.id}`;
    const { actions, ...told } = await world.one("upload", object, world.bob, own);
    const absent = named("nobody has this");
    const { actions: _, ...toldOfAbsent } = await world.one("upload", absent, world.bob, own);
    expect(Object.keys(told)).toEqual(Object.keys(toldOfAbsent));
    expect((await world.act(actions.verify, "POST", { body: object })).status).toBe(404);
    expect((await world.one("download", object, world.bob, own)).error.code).toBe(404);
    expect((await world.ask("GET", `objects/${object.oid}`, { as: world.bob }, own)).status).toBe(404);
    const wrong = await world.act(actions.upload, "PUT", { raw: "secret plane" });
    expect(wrong.status).toBe(422);
    expect(await world.objects(mine)).toEqual([]);
    expect((await world.act(actions.upload, "PUT", { raw: "secret plans" })).status).toBe(200);
    expect(await world.objects(mine)).toEqual([object.oid]);
  });

  it("has to be uploaded with a token that may not read it there", async () => {
    await world.begin({ private: true });
    const object = await world.upload("not public");
    await makeRepository(world.api, world.alice, `open-${world.id}`);
    const open = await scoped(world.alice, "write:repository", "public-only");
    const { actions } = await world.one("upload", object, open, `alice/open-${world.id}`);
    expect(actions.upload.href).toMatch(object.oid);
  });

  it("comes in its true size alone", async () => {
    const { oid, size } = await world.upload("of this size");
    await makeRepository(world.api, world.alice, `size-${world.id}`);
    const { actions } = await world.one(
      "upload",
      { oid, size: size + 1 },
      world.alice,
      `alice/size-${world.id}`,
    );
    expect((await world.act(actions.upload, "PUT", { raw: "of this size!" })).status).toBe(422);
  });
});
