import { describe, expect, it } from "vitest";
import { readConfig, required, settings } from "#core/config";
import { readSetting, SettingError } from "#core/config/setting";

describe("config", () => {
  it("every setting has a variable of its own, a default that is used when it is absent or empty, and a sentence", () => {
    const all = Object.entries(settings);
    expect(new Set(all.map(([, one]) => one.variable)).size).toBe(all.length);
    const empty = Object.fromEntries(all.map(([, one]) => [one.variable, ""]));
    const expected = Object.fromEntries(all.map(([name, one]) => [name, one.fallback]));
    expect(readConfig({})).toEqual(expected);
    expect(readConfig(empty)).toEqual(expected);
    expect(all.filter(([, one]) => one.about === "")).toEqual([]);
  });

  it("reads numbers, flags, lists, URLs and choices", () => {
    const config = readConfig({
      MAX_RESPONSE_ITEMS: "100",
      MAX_CREATION_LIMIT: "-1",
      FORCE_PRIVATE: "yes",
      WEBHOOK_ALLOWED_HOST_LIST: "loopback, *.example.com,,10.0.0.0/8",
      ROOT_URL: "https://forge.example.com/git/",
      LOG_LEVEL: "debug",
      DEFAULT_BRANCH: "release/1.0",
    });
    expect(config).toMatchObject({
      maxResponseItems: 100,
      maxCreationLimit: -1,
      forcePrivate: true,
      webhookAllowedHostList: ["loopback", "*.example.com", "10.0.0.0/8"],
      rootUrl: "https://forge.example.com/git",
      logLevel: "debug",
      defaultBranch: "release/1.0",
    });
  });

  it("MAILER_ENABLED without a server or a sender is refused by a message that names what is missing", () => {
    const mailer = { MAILER_ENABLED: "true", MAILER_SMTP_ADDR: "localhost", MAILER_FROM: "a@example.org" };
    expect(readConfig(mailer).mailerEnabled).toBe(true);
    for (const missing of ["MAILER_SMTP_ADDR", "MAILER_FROM"]) {
      const read = () => readConfig({ ...mailer, [missing]: "" });
      expect(read).toThrow(SettingError);
      expect(read).toThrow(`setting ${missing}: MAILER_ENABLED needs it`);
    }
  });

  it.each([
    ["MAX_RESPONSE_ITEMS", "0"],
    ["MAX_RESPONSE_ITEMS", "5.5"],
    ["MAX_RESPONSE_ITEMS", "many"],
    ["FORCE_PRIVATE", "perhaps"],
    ["ROOT_URL", "forge.example.com"],
    ["ROOT_URL", "ftp://forge.example.com"],
    ["LOG_LEVEL", "loud"],
    ["COMPATIBILITY_VERSION", "latest"],
    ["DEFAULT_BRANCH", "a..b"],
    ["DEFAULT_BRANCH", ".hidden"],
    ["DEFAULT_MERGE_STYLE", "octopus"],
    ["DISABLED_REPO_UNITS", "repo.wikis"],
    ["DISABLED_REPO_UNITS", "wiki"],
    ["DISABLED_REPO_UNITS", "repo.wiki,repo.code"],
    ["DEFAULT_REPO_UNITS", "repo.ext_issues"],
    ["DEFAULT_FORK_REPO_UNITS", "repo.code,repo.ext_wiki"],
  ])("%s=%s is refused by a message that names the variable and shows the value", (variable, value) => {
    const read = () => readConfig({ [variable]: value });
    expect(read).toThrow(SettingError);
    expect(read).toThrow(`setting ${variable}: `);
    expect(read).toThrow(value);
  });

  it("the message about a malformed secret does not show it", () => {
    const secret = { ...settings.secretKey, shape: settings.rootUrl.shape };
    expect(() => readSetting(secret, { SECRET_KEY: "hunter2" })).toThrow(SettingError);
    expect(() => readSetting(secret, { SECRET_KEY: "hunter2" })).not.toThrow("hunter2");
  });

  it("required gives a setting, or names the variable that is missing", () => {
    expect(required(readConfig({ TABLE_NAME: "forge" }), "tableName")).toBe("forge");
    expect(() => required(readConfig({}), "tableName")).toThrow("setting TABLE_NAME: is not set");
  });
});
