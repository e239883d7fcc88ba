import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { askDirectory } from "#core/login-source/directory";
import {
  type DirectorySettings,
  directorySettings,
  settingsProblem,
} from "#core/login-source/internal/directory-settings";
import { startDirectoryStub } from "#tests/support/servers/directory-stub";

const settingsOf = (given: Record<string, string>): DirectorySettings => {
  const settings = directorySettings(readConfig(given));
  if (settings === undefined) throw new Error("no directory is set");
  return settings;
};
const byDn = { LDAP_USER_DN: "uid=%s,dc=example,dc=org", LDAP_TIMEOUT: "1" };
const bySearch = { LDAP_SEARCH_BASE: "dc=example,dc=org", LDAP_FILTER: "(uid=%s)", LDAP_TIMEOUT: "1" };
const unavailable = { code: "unavailable" };

describe("askDirectory", () => {
  it("is unavailable where nobody listens, nobody speaks, or something else does", async () => {
    const silent = await startDirectoryStub({ bind: () => 0 }, { speaks: false });
    const other = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.end("SSH-2.0-Other\r\n");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    for (const url of [silent.url, `ldap://127.0.0.1:${port}`, "ldap://127.0.0.1:1"]) {
      const asked = askDirectory(settingsOf({ LDAP_URL: url, ...byDn }), "a", "p");
      await expect(asked, url).rejects.toMatchObject(unavailable);
    }
    const encrypted = settingsOf({ LDAP_URL: silent.url, LDAP_START_TLS: "true", ...byDn });
    await expect(askDirectory(encrypted, "a", "p")).rejects.toMatchObject(unavailable);
    await silent.stop();
    other.close();
  });

  it("asks nothing with an empty password, which directories take from everybody", async () => {
    const stub = await startDirectoryStub({ bind: () => 0 });
    expect(await askDirectory(settingsOf({ LDAP_URL: stub.url, ...byDn }), "a", "")).toEqual({
      kind: "refused",
    });
    expect(stub.binds).toEqual([]);
    await stub.stop();
  });

  it("is unavailable, not refused, when the service's own account is not taken", async () => {
    const stub = await startDirectoryStub({ bind: (dn) => (dn === "cn=service" ? 49 : 0) });
    const settings = settingsOf({ LDAP_URL: stub.url, LDAP_BIND_DN: "cn=service", ...bySearch });
    await expect(askDirectory(settings, "a", "p")).rejects.toMatchObject(unavailable);
    await stub.stop();
  });

  it("refuses who is found twice, and is not bound as either", async () => {
    const entry = (dn: string) => ({ dn, attributes: { uid: "a" } });
    const stub = await startDirectoryStub({
      bind: () => 0,
      search: () => [entry("uid=a,ou=x"), entry("uid=a,ou=y")],
    });
    const settings = settingsOf({ LDAP_URL: stub.url, ...bySearch });
    expect(await askDirectory(settings, "a", "p")).toEqual({ kind: "refused" });
    expect(stub.binds).toEqual([]);
    await stub.stop();
  });
});

describe("settingsProblem", () => {
  it("asks for encryption off this machine, and for where the login goes", () => {
    const problemOf = (given: Record<string, string>) => settingsProblem(settingsOf(given));
    const plain = { LDAP_URL: "ldap://directory.example:389", LDAP_USER_DN: "uid=%s" };
    expect(problemOf(plain)).toContain("not encrypted");
    expect(problemOf({ ...plain, LDAP_START_TLS: "true" })).toBeUndefined();
    expect(problemOf({ ...plain, LDAP_URL: "ldaps://directory.example" })).toBeUndefined();
    expect(problemOf({ ...plain, LDAP_URL: "ldap://[::1]:389" })).toBeUndefined();
    expect(problemOf({ ...plain, LDAP_URL: "ldap://127.0.0.1.example" })).toContain("not encrypted");
    expect(problemOf({ LDAP_URL: "ldaps://d" })).toContain("neither");
    expect(problemOf({ LDAP_URL: "ldaps://d", LDAP_USER_DN: "uid=a" })).toContain("LDAP_USER_DN has no %s");
    const constant = { LDAP_URL: "ldaps://d", LDAP_SEARCH_BASE: "dc=x", LDAP_FILTER: "(uid=a)" };
    expect(problemOf(constant)).toContain("LDAP_FILTER has no %s");
  });

  it("stops the start for an address or filter that is none", () => {
    for (const given of [
      { LDAP_URL: "http://directory.example" },
      { LDAP_URL: "ldaps://user:secret@directory.example" },
      { LDAP_FILTER: "uid=%s" },
      { LDAP_CACHE_SECONDS: "100000" },
    ]) {
      expect(() => readConfig(given)).toThrow(/LDAP_/);
    }
  });
});
