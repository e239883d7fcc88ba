import { type ActionSetting, settingKey, settingsOf } from "../actions/setting.ts";

/** A value that jobs of Actions get and nobody can read (semantics §63.1). */
export interface ActionSecret extends ActionSetting {
  /** Opened by `actionSecretsFor` alone. */
  readonly sealed: string;
  /** Of the value. */
  readonly sizeBytes: number;
}

const prefix = "SECRET#";
export const actionSecretKey = settingKey(prefix);
/** All secrets of a place, by name. */
export const actionSecretsOf = settingsOf(prefix);
