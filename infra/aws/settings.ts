import { readConfig, settings } from "#core/config";

/** Settings that links and the router give; a value for them in the deployer's shell is not meant for the functions. */
const given = new Set([
  "ROOT_URL",
  "TABLE_NAME",
  "BUCKET_NAME",
  "WEBHOOKS_QUEUE_URL",
  "MIRRORS_QUEUE_URL",
  "REPOSITORY_EVENTS_QUEUE_URL",
  "SECRET_KEY",
  "HOOK_KEY",
  "ORIGIN_SECRET",
]);

/**
 * The service's settings from the deployer's environment (or `.env.<stage>`), under the names that `npm start` reads. A
 * malformed one stops the deploy: throws SettingError.
 */
export function settingsFromEnvironment(
  environment: Record<string, string | undefined>,
): Record<string, string> {
  const chosen = Object.values(settings)
    .map(({ variable }) => [variable, environment[variable]] as const)
    .filter((entry): entry is readonly [string, string] => !given.has(entry[0]) && Boolean(entry[1]));
  const values = Object.fromEntries(chosen);
  readConfig(values);
  return values;
}
