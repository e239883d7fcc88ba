import { setting } from "./setting.ts";
import { httpUrl, integer } from "./shapes.ts";

/** Actions: what is kept of runs, and for how long, what ends them, and what their runners are told. */
export const actionSettings = {
  zombieTaskSeconds: setting(
    "ZOMBIE_TASK_TIMEOUT",
    integer(60, 86_400),
    600,
    "seconds without a word of its runner after which a running job has failed",
  ),
  endlessTaskSeconds: setting(
    "ENDLESS_TASK_TIMEOUT",
    integer(60, 30 * 86_400),
    3 * 3_600,
    "seconds that a job may run; then it has failed",
  ),
  abandonedJobSeconds: setting(
    "ABANDONED_JOB_TIMEOUT",
    integer(60, 365 * 86_400),
    86_400,
    "seconds that a job may wait, for a runner or for others; then it is cancelled",
  ),
  logRetentionDays: setting(
    "LOG_RETENTION_DAYS",
    integer(1, 36_500),
    365,
    "days that the logs of a run's jobs are kept after its end",
  ),
  runRetentionDays: setting(
    "RUN_RETENTION_DAYS",
    integer(1, 36_500),
    400,
    "days that a run is kept after its end; its logs and artifacts go with it at the latest",
  ),
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
