import { accountSettings } from "./config/accounts.ts";
import { actionSettings } from "./config/actions.ts";
import { gitSettings } from "./config/git.ts";
import { intakeSettings } from "./config/intake.ts";
import { issueSettings } from "./config/issues.ts";
import { ldapSettings } from "./config/ldap.ts";
import { lfsSettings } from "./config/lfs.ts";
import { mailSettings } from "./config/mail.ts";
import { oauth2Settings } from "./config/oauth2.ts";
import { openIdSettings } from "./config/openid.ts";
import { packageSettings } from "./config/packages.ts";
import { pageSettings } from "./config/pages.ts";
import { quotaSettings } from "./config/quota.ts";
import { rateSettings } from "./config/rates.ts";
import { repositorySettings } from "./config/repositories.ts";
import { serviceSettings } from "./config/service.ts";
import { readAll, type Setting, SettingError, type Values } from "./config/setting.ts";

/** Every setting of the service. Names of variables follow the compatible family's keys. */
export const settings = {
  ...serviceSettings,
  ...accountSettings,
  ...ldapSettings,
  ...openIdSettings,
  ...pageSettings,
  ...rateSettings,
  ...repositorySettings,
  ...issueSettings,
  ...actionSettings,
  ...gitSettings,
  ...lfsSettings,
  ...mailSettings,
  ...intakeSettings,
  ...quotaSettings,
  ...packageSettings,
  ...oauth2Settings,
} as const satisfies Record<string, Setting<never>> | Record<string, unknown>;

/** The parsed settings, read once at start. */
export type Config = Values<typeof settings>;

/** Reads every setting from the environment (with linked resources merged in by the entry points). Throws SettingError. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const config = readAll(settings, environment);
  if (config.mailerEnabled) {
    for (const name of ["mailerSmtpAddr", "mailerFrom"] as const) {
      if (config[name] === "") throw new SettingError(settings[name].variable, "MAILER_ENABLED needs it");
    }
  }
  return config;
}

/** A setting that this part needs; throws SettingError naming it when it is empty. */
export function required(config: Config, name: keyof Config & string): string {
  const value = config[name];
  if (typeof value === "string" && value !== "") return value;
  throw new SettingError(settings[name].variable, "is not set, and this part of the service needs it");
}
