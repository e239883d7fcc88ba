import { accountSettings } from "./config/accounts.ts";
import { gitSettings } from "./config/git.ts";
import { issueSettings } from "./config/issues.ts";
import { ldapSettings } from "./config/ldap.ts";
import { pageSettings } from "./config/pages.ts";
import { repositorySettings } from "./config/repositories.ts";
import { serviceSettings } from "./config/service.ts";
import { readSetting, type Setting, SettingError } from "./config/setting.ts";

export { mergeStyles } from "./config/repositories.ts";
export { readSetting, type Setting, SettingError } from "./config/setting.ts";
export { httpUrl, integer } from "./config/shapes.ts";

/** Every setting of the service. Names of variables follow the compatible family's keys. */
export const settings = {
  ...serviceSettings,
  ...accountSettings,
  ...ldapSettings,
  ...pageSettings,
  ...repositorySettings,
  ...issueSettings,
  ...gitSettings,
} as const satisfies Record<string, Setting<never>> | Record<string, unknown>;

type Settings = typeof settings;
/** The parsed settings, read once at start. */
export type Config = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never;
};

/** Reads every setting from the environment (with linked resources merged in by the entry points). Throws SettingError. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const values = Object.entries(settings).map(([name, one]) => [
    name,
    readSetting(one as Setting<unknown>, environment),
  ]);
  return Object.freeze(Object.fromEntries(values)) as Config;
}

/** A setting that this part can't work without; throws SettingError naming it when it is empty. */
export function required(config: Config, name: keyof Config & string): string {
  const value = config[name];
  if (typeof value === "string" && value !== "") return value;
  throw new SettingError(settings[name].variable, "is not set, and this part of the service needs it");
}
