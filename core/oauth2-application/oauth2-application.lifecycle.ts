import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedUser, Lifecycle } from "../lifecycle/lifecycle.ts";
import { userPartition } from "../owner/owner.table.ts";
import { oauth2ApplicationChecks } from "./oauth2-application.check.ts";
import {
  type OAuth2Application,
  oauth2ApplicationGuardKey,
  oauth2ApplicationPrefix,
} from "./oauth2-application.table.ts";

const applicationsPerStep = 100;

/** Guards first: they are found by the applications. */
async function endApplications({ table }: Forge, { userId }: EndedUser): Promise<PartStep> {
  const run = { pk: userPartition(userId), prefix: oauth2ApplicationPrefix, limit: applicationsPerStep };
  const { items, next } = await table.query<OAuth2Application>(run);
  await table.removeAll(items.map(({ clientId }) => oauth2ApplicationGuardKey(clientId)));
  await table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

export const oauth2ApplicationLifecycle: Lifecycle = {
  noun: "oauth2-application",
  items: [
    { at: "U#<user> / OAUTH2#<application>", counter: "oauth2-application" },
    { at: "OAUTH2#<client> / #" },
  ],
  ends: { user: { "oauth2-applications": { step: endApplications, alone: [oauth2ApplicationPrefix] } } },
  checks: oauth2ApplicationChecks,
};
