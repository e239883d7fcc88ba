import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedUser, Lifecycle } from "../lifecycle/lifecycle.ts";
import { userPartition } from "../owner/owner.table.ts";
import { externalLoginChecks } from "./external-login.check.ts";
import { type ExternalLogin, externalLoginGuardKey, externalLoginPrefix } from "./external-login.table.ts";

const loginsPerStep = 100;

/** Guards first: they are found by the rows. */
async function endExternalLogins({ table }: Forge, { userId }: EndedUser): Promise<PartStep> {
  const run = { pk: userPartition(userId), prefix: externalLoginPrefix, limit: loginsPerStep };
  const { items, next } = await table.query<ExternalLogin>(run);
  await table.removeAll(items.map(({ hash }) => externalLoginGuardKey(hash)));
  await table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

export const externalLoginLifecycle: Lifecycle = {
  noun: "external-login",
  items: [{ at: "U#<user> / EXT#<hash>" }, { at: "EXT#<hash> / #" }],
  ends: { user: { "external-logins": { step: endExternalLogins, alone: [externalLoginPrefix] } } },
  checks: externalLoginChecks,
};
