import { setting } from "./setting.ts";
import { integer } from "./shapes.ts";

/** Actions: what is kept of runs. */
export const actionSettings = {
  artifactRetentionDays: setting(
    "ARTIFACT_RETENTION_DAYS",
    integer(1, 3650),
    90,
    "days that an artifact is kept when its job names no others",
  ),
  artifactMaxSizeMib: setting("ARTIFACT_MAX_SIZE", integer(1, 5_000), 2048, "MiB of one artifact, at most"),
} as const;
