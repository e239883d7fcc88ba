import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { startJob } from "../jobs/job.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedUser, Lifecycle } from "../lifecycle/lifecycle.ts";
import { userPartition } from "../owner/owner.table.ts";
import { oauth2ApplicationChecks } from "./oauth2-application.check.ts";
import {
  endApplicationKind,
  type OAuth2Application,
  oauth2ApplicationGuardKey,
  oauth2ApplicationPrefix,
} from "./oauth2-application.table.ts";

const applicationsPerStep = 100;

/** Guards first: they are found by the applications. What users let these do goes by jobs of their own. */
async function endApplications(forge: Forge, { userId }: EndedUser): Promise<PartStep> {
  const { table } = forge;
  const run = { pk: userPartition(userId), prefix: oauth2ApplicationPrefix, limit: applicationsPerStep };
  const { items, next } = await table.query<OAuth2Application>(run);
  for (const { clientId } of items) {
    // By one id: a step that is repeated starts no second one.
    const args = { clientId, endedAt: forge.clock.now() };
    const job = startJob(forge, endApplicationKind, args, { id: `${endApplicationKind}-${clientId}` });
    if (await table.write(job.write)) await send(forge, [job.message]);
  }
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
