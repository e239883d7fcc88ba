import { setting } from "./setting.ts";
import { httpUrl, integer } from "./shapes.ts";

/** Actions: what is kept of runs, and what their runners are told. */
export const actionSettings = {
  artifactRetentionDays: setting(
    "ARTIFACT_RETENTION_DAYS",
    integer(1, 3650),
    90,
    "days that an artifact is kept when its job names no others",
  ),
  artifactMaxSizeMib: setting("ARTIFACT_MAX_SIZE", integer(1, 5_000), 2048, "MiB of one artifact, at most"),
  defaultActionsUrl: setting(
    "DEFAULT_ACTIONS_URL",
    httpUrl("https://data.forgejo.org"),
    "https://data.forgejo.org",
    "where runners get actions that a workflow names without an address",
  ),
} as const;
