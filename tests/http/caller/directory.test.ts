import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tryCount } from "#core/caller/rates";
import { defined } from "#core/defined";
import { editUser } from "#core/user/edit";
import { findUserByName } from "#core/user/find";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type DirectoryStub, startDirectoryStub } from "#tests/support/servers/directory-stub";
import { lowRates } from "#tests/support/suite/rates";

/** People of the directory: user name → password. */
const people = new Map([
  ["carol", "carols-secret"],
  ["dave", "daves-secret"],
  ["local", "another-secret"],
  ["bad name!", "a-secret"],
]);
const dnOf = (name: string) => `uid=${name},ou=people,dc=example,dc=org`;
const nameIn = (dn: string) => /^uid=([^,]*),/.exec(dn)?.[1] ?? "";
/** The directory's answer to binds; 0: as the password says. */
let trouble = 0;

let index: DirectoryStub;
let api: TestApi;
let boss: Caller;
beforeAll(async () => {
  index = await startDirectoryStub({
    bind: (dn, password) => trouble || (people.get(nameIn(dn)) === password ? 0 : 49),
    search: (base) => {
      const name = nameIn(base);
      const entry = {
        dn: base,
        attributes: { uid: name, mail: `${name.replace(/\W/g, "")}@corp.example`, givenName: "G", sn: "S" },
      };
      return people.has(name) ? [entry] : [];
    },
  });
  api = await makeApi({
    settings: {
      LDAP_URL: index.url,
      LDAP_USER_DN: "uid=%s,ou=people,dc=example,dc=org",
      LDAP_FILTER: "(objectClass=*)",
      ...lowRates,
    },
  });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await api.makeUser({ name: "local" });
});
afterAll(async () => {
  await api.stop();
  await index.stop();
});
afterEach(() => {
  trouble = 0;
  index.binds.length = 0;
});

const logIn = (name: string, password: string, address?: string) =>
  api.call("GET", "/user", { headers: basic(name, password), ...defined({ address }) });

describe("Basic authentication against a directory", () => {
  it("makes an account at the first login, and knows it afterwards", async () => {
    const { status, json } = await logIn("carol", "carols-secret");
    expect([status, json]).toMatchObject([
      200,
      { login: "carol", full_name: "G S", email: "carol@corp.example", source_id: 1, login_name: "carol" },
    ]);
    api.clock.advance(120_000);
    expect((await logIn("carol", "carols-secret")).json.id).toBe(json.id);
    expect((await logIn("CAROL@corp.example", "carols-secret")).json.id).toBe(json.id);
  });

  it("asks the directory once for many requests, and again when the seconds are over", async () => {
    const many = Array.from({ length: 12 }, () => logIn("dave", "daves-secret"));
    for (const { status } of await Promise.all(many)) expect(status).toBe(200);
    expect(index.binds).toEqual([dnOf("dave")]);
    api.clock.advance(59_000);
    await logIn("dave", "daves-secret");
    expect(index.binds).toHaveLength(1);
    api.clock.advance(2_000);
    await logIn("dave", "daves-secret");
    expect(index.binds).toHaveLength(2);
  });

  it("401 for a wrong password and for users who left the directory, once the seconds are over", async () => {
    expect((await logIn("carol", "wrong")).status).toBe(401);
    expect((await logIn("nobody", "wrong")).status).toBe(401);
    people.set("erin", "erins-secret");
    expect((await logIn("erin", "erins-secret")).status).toBe(200);
    people.delete("erin");
    api.clock.advance(61_000);
    expect((await logIn("erin", "erins-secret")).status).toBe(401);
    people.set("erin", "");
    expect((await logIn("erin", "erins-secret")).status).toBe(401);
  });

  it("429 after too many wrong passwords, without the directory being asked any more", async () => {
    const address = "198.51.100.7";
    for (let count = 0; count < 10; count += 1)
      expect((await logIn("carol", `w${count}`, address)).status).toBe(401);
    index.binds.length = 0;
    expect((await logIn("carol", "w", address)).status).toBe(429);
    expect(index.binds).toEqual([]);
    expect((await logIn("carol", "carols-secret")).status).toBe(200);
  });

  it("429 for more passwords than a network may have checked, without the directory being asked (D-RATE)", async () => {
    const address = "198.51.100.8";
    const hasRoom = () => tryCount(api.forge, { address }, "password") === 0;
    for (let sent = 0; hasRoom(); sent += 1) expect(sent).toBeLessThan(40);
    expect((await logIn("carol", "w", address)).status).toBe(429);
    expect(index.binds).toEqual([]);
  });

  it("never takes a local account over, nor sends its password to the directory", async () => {
    expect((await logIn("local", "another-secret")).status).toBe(401);
    expect((await logIn("local", "correct-horse-9")).status).toBe(200);
    expect(index.binds).toEqual([]);
  });

  it("401 that says why, where no account can be made of an entry", async () => {
    const { status, json } = await logIn("bad name!", "a-secret");
    expect([status, json.message]).toEqual([401, expect.stringContaining("no account could be made")]);
    await api.makeUser({ name: "owns-it", email: "frank@corp.example" });
    people.set("frank", "franks-secret");
    expect((await logIn("frank", "franks-secret")).json.message).toContain("e-mail");
  });

  it("503 while the directory is busy, which is nobody's wrong password", async () => {
    trouble = 51;
    for (let count = 0; count < 11; count += 1) expect((await logIn("carol", `x${count}`)).status).toBe(503);
    trouble = 0;
    expect((await logIn("carol", "carols-secret")).status).toBe(200);
    expect((await logIn("local", "correct-horse-9")).status).toBe(200);
  });

  it("escapes what a DN is made of", async () => {
    for (const login of ["x,ou=other", 'a"b+c', " #carol ", "carol\\,", "*"]) await logIn(login, "p");
    expect(index.binds).toEqual([
      "uid=x\\2cou\\3dother,ou=people,dc=example,dc=org",
      "uid=a\\22b\\2bc,ou=people,dc=example,dc=org",
      "uid=\\20\\23carol\\20,ou=people,dc=example,dc=org",
      "uid=carol\\5c\\2c,ou=people,dc=example,dc=org",
      "uid=*,ou=people,dc=example,dc=org",
    ]);
  });
});

describe("accounts of a directory", () => {
  it("are made by administrators without a password, and never have to change one (FLD-CreateUserOption.password, RES-User)", async () => {
    people.set("gina.corp", "ginas-secret");
    const body = { username: "gina", email: "gina@example.com", source_id: 1, login_name: "gina.corp" };
    const { status, json } = await api.call("POST", "/admin/users", { as: boss, body });
    expect([status, json.source_id, json.login_name]).toEqual([201, 1, "gina.corp"]);
    expect((await logIn("gina", "ginas-secret")).json.id).toBe(json.id);
    api.clock.advance(61_000);
    expect((await logIn("gina.corp", "ginas-secret")).json.id).toBe(json.id);
  });

  it("422 for a source that is not there, 403 for a change of the password here", async () => {
    const body = { username: "hugo", email: "hugo@example.com", source_id: 7, login_name: "hugo" };
    const refused = await api.call("POST", "/admin/users", { as: boss, body });
    expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining("SourceID")]);
    const changed = await api.call("PATCH", "/admin/users/local", {
      as: boss,
      body: { source_id: 7, login_name: "local" },
    });
    expect(changed.status).toBe(422);
    const headers = basic("carol", "carols-secret");
    const own = await api.call("PUT", "/user/password", { headers, body: { password: "another-horse-9" } });
    expect(own.status).toBe(403);
  });

  it("stay out while they are deactivated here", async () => {
    const carol = await findUserByName(api.forge, "carol");
    if (carol === undefined) throw new Error("carol is not there");
    await editUser(api.forge, carol, { isActive: false });
    expect((await logIn("carol", "carols-secret")).status).toBe(403);
    await editUser(api.forge, carol, { isActive: true });
    expect((await logIn("carol", "carols-secret")).status).toBe(200);
  });
});
