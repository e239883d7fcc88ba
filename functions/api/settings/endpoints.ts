import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";

/** The settings that clients ask for when they start. Open to everybody, as far as the instance is open at all. */
const common = { tag: "settings", method: "get", needs: {}, status: 200, errors: [] } as const;

const GeneralAPISettings = z
  .object({
    max_response_items: z.int(),
    default_paging_num: z.int(),
    default_git_trees_per_page: z.int(),
    default_max_blob_size: z.int(),
  })
  .openapi("GeneralAPISettings");

const getGeneralAPISettings = endpoint({
  ...common,
  id: "getGeneralAPISettings",
  path: "/settings/api",
  summary: "Get the bounds of lists",
  returns: { json: GeneralAPISettings },
  handle: async ({ forge }) => ({
    max_response_items: forge.config.maxResponseItems,
    default_paging_num: forge.config.defaultPagingNum,
    default_git_trees_per_page: 1000,
    default_max_blob_size: 10 * 2 ** 20,
  }),
});

const GeneralAttachmentSettings = z
  .object({
    enabled: z.boolean(),
    allowed_types: z.string(),
    max_size: z.int().openapi({ description: "MiB" }),
    max_files: z.int(),
  })
  .openapi("GeneralAttachmentSettings");

const getGeneralAttachmentSettings = endpoint({
  ...common,
  id: "getGeneralAttachmentSettings",
  path: "/settings/attachment",
  summary: "Get the bounds of attachments",
  returns: { json: GeneralAttachmentSettings },
  handle: async ({ forge: { config } }) => ({
    enabled: config.attachmentEnabled,
    allowed_types: config.attachmentAllowedTypes.join(","),
    max_size: config.attachmentMaxSizeMib,
    max_files: config.attachmentMaxFiles,
  }),
});

const GeneralRepoSettings = z
  .object({
    mirrors_disabled: z.boolean(),
    http_git_disabled: z.boolean(),
    migrations_disabled: z.boolean(),
    stars_disabled: z.boolean(),
    forks_disabled: z.boolean(),
    time_tracking_disabled: z.boolean(),
    lfs_disabled: z.boolean(),
  })
  .openapi("GeneralRepoSettings");

const getGeneralRepositorySettings = endpoint({
  ...common,
  id: "getGeneralRepositorySettings",
  path: "/settings/repository",
  summary: "Get the units that repositories can't have here",
  description: "Units that are not built yet count as switched off.",
  returns: { json: GeneralRepoSettings },
  handle: async ({ forge: { config } }) => ({
    mirrors_disabled: config.disableMirrors,
    http_git_disabled: false,
    migrations_disabled: config.disableMigrations,
    stars_disabled: config.disableStars,
    forks_disabled: config.disableForks,
    time_tracking_disabled: !config.enableTimetracking,
    lfs_disabled: !config.lfsStartServer,
  }),
});

const GeneralUISettings = z
  .object({
    default_theme: z.string(),
    allowed_reactions: z.array(z.string()),
    custom_emojis: z.array(z.string()),
  })
  .openapi("GeneralUISettings");

const getGeneralUISettings = endpoint({
  ...common,
  id: "getGeneralUISettings",
  path: "/settings/ui",
  summary: "Get the settings of pages",
  returns: { json: GeneralUISettings },
  handle: async ({ forge }) => ({
    default_theme: "auto",
    allowed_reactions: forge.config.reactions,
    custom_emojis: forge.config.customEmojis,
  }),
});

export const settingsEndpoints = [
  getGeneralAPISettings,
  getGeneralAttachmentSettings,
  getGeneralRepositorySettings,
  getGeneralUISettings,
];
