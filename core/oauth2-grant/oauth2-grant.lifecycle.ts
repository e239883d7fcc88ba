import type { Forge } from "../forge.ts";
import { loadedJob } from "../jobs/job.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedUser, Lifecycle } from "../lifecycle/lifecycle.ts";
import { endApplicationKind } from "../oauth2-application/oauth2-application.table.ts";
import { userPartition } from "../owner/owner.table.ts";
import { oauth2GrantChecks } from "./oauth2-grant.check.ts";
import { type OAuth2Grant, oauth2GrantMirrorKey, oauth2GrantPrefix } from "./oauth2-grant.table.ts";

const grantsPerStep = 100;

/** Mirrors first: they are found by the grants. */
async function endGrants({ table }: Forge, { userId }: EndedUser): Promise<PartStep> {
  const run = { pk: userPartition(userId), prefix: oauth2GrantPrefix, limit: grantsPerStep };
  const { items, next } = await table.query<OAuth2Grant>(run);
  await table.removeAll(items.map(({ clientId }) => oauth2GrantMirrorKey(clientId, userId)));
  await table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

export const oauth2GrantLifecycle: Lifecycle = {
  noun: "oauth2-grant",
  items: [
    { at: "U#<user> / OAUTH2GRANT#<client>" },
    { at: "OAUTH2#<client> / GRANT#<user>" },
    {
      at: "OAUTH2CODE#<hash> / #",
      goes: "by its TTL: ten minutes after it was made, or with its last refresh token",
    },
  ],
  jobs: {
    [endApplicationKind]: loadedJob(async () => (await import("./end-of-application.ts")).endApplication),
  },
  ends: { user: { "oauth2-grants": { step: endGrants, alone: [oauth2GrantPrefix] } } },
  checks: oauth2GrantChecks,
};
