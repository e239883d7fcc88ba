import { Resource } from "sst";

/** Which property of which linked resource gives which setting of core/config.ts. */
export const linkedResources = {
  TABLE_NAME: { resource: "Table", property: "name" },
  BUCKET_NAME: { resource: "Objects", property: "name" },
  WEBHOOKS_QUEUE_URL: { resource: "Webhooks", property: "url" },
  MIRRORS_QUEUE_URL: { resource: "Mirrors", property: "url" },
  REPOSITORY_EVENTS_QUEUE_URL: { resource: "RepositoryEvents", property: "url" },
  SECRET_KEY: { resource: "SecretKey", property: "value" },
  HOOK_KEY: { resource: "HookKey", property: "value" },
  ORIGIN_SECRET: { resource: "OriginSecret", property: "value" },
} as const;

/**
 * The settings that the linked resources give, ready to be merged over the environment. A resource that is not linked
 * gives none: core/config.ts names the missing setting when it is needed. Throws when a link lacks its property.
 */
export function linkedSettings(): Record<string, string> {
  const linked = Resource as unknown as Record<string, Record<string, unknown>>;
  const settings: Record<string, string> = {};
  for (const [setting, { resource, property }] of Object.entries(linkedResources)) {
    if (!(resource in linked)) continue;
    const value = linked[resource]?.[property];
    if (typeof value !== "string") throw new Error(`the link ${resource} has no ${property}`);
    settings[setting] = value;
  }
  return settings;
}
