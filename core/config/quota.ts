import { setting } from "./setting.ts";
import { integer, list } from "./shapes.ts";

/** The quota of owners without groups of their own. Nothing is ever refused for it (D-QUOTA-SERVE). */
export const quotaSettings = {
  quotaDefaultGroups: setting<string[]>(
    "QUOTA_DEFAULT_GROUPS",
    list,
    [],
    "quota groups of owners who have none assigned, by name; those that don't exist count for nothing",
  ),
  quotaDefaultTotal: setting(
    "QUOTA_DEFAULT_TOTAL",
    integer(-1, Number.MAX_SAFE_INTEGER),
    -1,
    "bytes of everything for owners without any group, assigned or default, beyond which the quota's operations say no; nothing else is ever refused for it; -1: no limit",
  ),
} as const;
