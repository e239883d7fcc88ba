import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { askDirectory } from "#core/login-source/directory";
import { directorySettings } from "#core/login-source/internal/directory-settings";
import { basic, makeApi, type TestApi } from "#tests/support/api";
import { type Slapd, service, startSlapd, suffix } from "#tests/support/servers/slapd";

let slapd: Slapd;
beforeAll(async () => {
  slapd = await startSlapd([
    { uid: "carol", password: "carols-secret", mail: "carol@corp.example", employeeType: "admin" },
    { uid: "dave", password: "daves-secret", mail: "dave@corp.example" },
    { uid: "gone", password: "gones-secret", mail: "gone@corp.example", employeeType: "left" },
    { uid: "o'brien (it)*", password: "briens-secret" },
  ]);
});
afterAll(() => slapd.stop());

const people = `ou=people,${suffix}`;
const filter = "(&(objectClass=inetOrgPerson)(|(uid=%s)(mail=%s))(!(employeeType=left)))";
const byDn = { LDAP_USER_DN: `uid=%s,${people}`, LDAP_FILTER: filter };
const bySearch = {
  LDAP_BIND_DN: service.dn,
  LDAP_BIND_PASSWORD: service.password,
  LDAP_SEARCH_BASE: people,
  LDAP_FILTER: filter,
};
const ask = async (given: Record<string, string>, login: string, password: string) => {
  const settings = directorySettings(
    readConfig({ LDAP_URL: slapd.url, LDAP_ADMIN_FILTER: "(employeeType=admin)", ...given }),
  );
  if (settings === undefined) throw new Error("no directory is set");
  return askDirectory(settings, login, password);
};
const refused = { kind: "refused" };

describe.each([
  ["by a DN made of the login", byDn],
  ["by searching for the login", bySearch],
])("askDirectory %s, against OpenLDAP", (_how, settings) => {
  it("lets in users with their password, with the directory's facts about them", async () => {
    expect(await ask(settings, "carol", "carols-secret")).toEqual({
      kind: "in",
      profile: { loginName: "carol", email: "carol@corp.example", fullName: "carol Surname", isAdmin: true },
    });
    expect(await ask(settings, "dave", "daves-secret")).toMatchObject({ profile: { isAdmin: false } });
    expect(await ask(settings, "DAVE", "daves-secret")).toMatchObject({ profile: { loginName: "dave" } });
  });

  it("refuses wrong passwords, unknown logins, and who left", async () => {
    for (const [login, password] of [
      ["carol", "daves-secret"],
      ["carol", ""],
      ["nobody", "carols-secret"],
      ["gone", "gones-secret"],
    ] as const) {
      expect(await ask(settings, login, password), login).toEqual(refused);
    }
  });

  it("takes nothing in a login for a part of the filter or DN", async () => {
    for (const login of [
      "*",
      "c*",
      "carol)(uid=*",
      "*)(|(uid=carol",
      "carol,ou=people",
      "carol+uid=dave",
      "carol\0",
      "carol)(!(employeeType=nothing))(|(uid=carol",
      "\\63arol",
    ]) {
      expect(await ask(settings, login, "carols-secret"), login).toEqual(refused);
    }
    const odd = await ask(settings, "o'brien (it)*", "briens-secret");
    expect(odd).toMatchObject({ kind: "in", profile: { loginName: "o'brien (it)*", email: "" } });
  });

  it("speaks over StartTLS and ldaps, to a certificate that it trusts alone", async () => {
    const carol = ["carol", "carols-secret"] as const;
    const trusting = { ...settings, LDAP_SKIP_TLS_VERIFY: "true" };
    const kinds = [{ LDAP_START_TLS: "true" }, { LDAP_URL: slapd.secureUrl }];
    for (const kind of kinds) {
      expect(await ask({ ...trusting, ...kind }, ...carol)).toMatchObject({ kind: "in" });
      await expect(ask({ ...settings, ...kind }, ...carol)).rejects.toMatchObject({ code: "unavailable" });
    }
  });
});

describe("Basic authentication against OpenLDAP", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await makeApi({
      settings: {
        LDAP_URL: slapd.url,
        LDAP_ADMIN_FILTER: "(employeeType=admin)",
        ...bySearch,
      },
    });
    await api.makeUser({ name: "boss", isAdmin: true });
  });
  afterAll(() => api.stop());

  it("makes accounts at their first login, administrators where the directory says so", async () => {
    const logIn = async (name: string, password: string) =>
      (await api.call("GET", "/user", { headers: basic(name, password) })).json;
    expect(await logIn("carol", "carols-secret")).toMatchObject({ login: "carol", is_admin: true });
    const dave = await logIn("dave@corp.example", "daves-secret");
    expect(dave).toMatchObject({ login: "dave", is_admin: false, source_id: 1 });
    api.clock.advance(61_000);
    expect((await logIn("dave", "daves-secret")).id).toBe(dave.id);
    expect((await logIn("dave@corp.example", "daves-secret")).id).toBe(dave.id);
  });
});
