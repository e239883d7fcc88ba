import { readConfig } from "#core/config";
import { settingsFromEnvironment } from "./settings.ts";

/**
 * The other sites whose pages may call the service, in the form for its bucket: none unless CORS_ENABLED, and origins
 * with their scheme. S3 takes one `*` in each, as CORS_ALLOW_DOMAIN is written.
 */
export function pageOrigins(environment: Record<string, string | undefined>): string[] {
  const { corsEnabled, corsAllowDomain } = readConfig(settingsFromEnvironment(environment));
  if (!corsEnabled) return [];
  return corsAllowDomain.flatMap((entry) =>
    entry === "*" || entry.includes("://") ? entry : [`https://${entry}`, `http://${entry}`],
  );
}
