import type { z } from "zod";

/** One setting: the environment variable that gives it, its shape, its default, and one sentence for people. */
export interface Setting<T> {
  readonly variable: string;
  readonly shape: z.ZodType<T>;
  readonly fallback: T;
  readonly about: string;
  readonly isSecret: boolean;
}

/** A setting that is shown as it is; `fallback` when absent. */
export function setting<T>(
  variable: string,
  shape: z.ZodType<T>,
  fallback: NoInfer<T>,
  about: string,
): Setting<T> {
  return { variable, shape, fallback, about, isSecret: false };
}

/** A setting whose value is never shown; empty when absent. */
export function secret(variable: string, shape: z.ZodType<string>, about: string): Setting<string> {
  return { variable, shape, fallback: "", about, isSecret: true };
}

/** Names the wrong variable and the expected value: the start ends with this message. */
export class SettingError extends Error {
  readonly variable: string;
  constructor(variable: string, problem: string) {
    super(`setting ${variable}: ${problem}`);
    this.name = "SettingError";
    this.variable = variable;
  }
}

/** Parses one setting from `environment`; an empty value counts as absent. Throws SettingError. */
export function readSetting<T>(one: Setting<T>, environment: Record<string, string | undefined>): T {
  const given = environment[one.variable];
  if (given === undefined || given === "") return one.fallback;
  const parsed = one.shape.safeParse(given);
  if (parsed.success) return parsed.data;
  const shown = one.isSecret ? "" : `, got ${JSON.stringify(given)}`;
  throw new SettingError(one.variable, `${parsed.error.issues[0]?.message ?? "malformed"}${shown}`);
}

/** The values of a record of settings, by its names. */
export type Values<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never;
};

/** Parses every setting of a record from `environment`. Throws SettingError. */
export function readAll<Settings extends object>(
  settings: Settings,
  environment: Record<string, string | undefined>,
): Values<Settings> {
  const values = Object.entries(settings).map(([name, one]) => [
    name,
    readSetting(one as Setting<unknown>, environment),
  ]);
  return Object.freeze(Object.fromEntries(values)) as Values<Settings>;
}
