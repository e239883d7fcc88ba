import { type ActionSetting, settingKey, settingsOf } from "../actions/setting.ts";

/** A value that jobs of Actions read (semantics §63.1). */
export interface ActionVariable extends ActionSetting {
  readonly value: string;
  /** Edit version: the condition of the next write. */
  readonly v: number;
}

const prefix = "VAR#";
export const actionVariableKey = settingKey(prefix);
/** All variables of a place, by name. */
export const actionVariablesOf = settingsOf(prefix);
