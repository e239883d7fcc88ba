import type { Forge } from "../forge.ts";
import { clearingUp, type PartStep } from "../jobs/passes.ts";
import {
  type OAuth2GrantMirror,
  oauth2GrantKey,
  oauth2GrantMirrorKey,
  oauth2GrantMirrorPrefix,
} from "./oauth2-grant.table.ts";

/** An application that is gone, and since when, in milliseconds. */
export type EndedApplication = { readonly clientId: string; readonly endedAt: number };

const grantsPerStep = 100;

/** Grants first: they are found by their mirrors. */
async function endGrants({ table }: Forge, { clientId }: EndedApplication): Promise<PartStep> {
  const { pk } = oauth2GrantMirrorKey(clientId, 0);
  const run = { pk, prefix: oauth2GrantMirrorPrefix, limit: grantsPerStep };
  const { items, next } = await table.query<OAuth2GrantMirror>(run);
  await table.removeAll(items.map(({ userId }) => oauth2GrantKey(userId, clientId)));
  await table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

/** Removes what users let an ended application do; its tokens count no more already. */
export const endApplication = clearingUp<EndedApplication>({
  parts: [{ name: "grants", step: endGrants }],
  since: ({ endedAt }) => endedAt,
});
