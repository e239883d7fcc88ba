import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedUser, Lifecycle } from "../lifecycle/lifecycle.ts";
import { userPartition } from "../owner/owner.table.ts";
import { tokenChecks } from "./token.check.ts";
import { type Token, tokenGuardKey, tokenPrefix } from "./token.table.ts";

const tokensPerStep = 100;

/** Guards first: they are found by the tokens. */
async function endTokens({ table }: Forge, { userId }: EndedUser): Promise<PartStep> {
  const run = { pk: userPartition(userId), prefix: tokenPrefix, limit: tokensPerStep };
  const { items, next } = await table.query<Token>(run);
  await table.removeAll(items.map(({ hash }) => tokenGuardKey(hash)));
  await table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

export const tokenLifecycle: Lifecycle = {
  noun: "token",
  items: [
    { at: "TOK#<hash> / #" },
    { at: "U#<user> / TOK#<token>", counter: "token" },
    { at: "U#<user> / TOKNAME#<name>" },
  ],
  ends: { user: { tokens: { step: endTokens, alone: [tokenPrefix] } } },
  checks: tokenChecks,
};
