import { defined } from "../defined.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { missing } from "../owner/owner-findings.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, remove } from "../table/write.ts";
import { type Token, type TokenGuard, tokenGuardKey, tokenKey } from "./token.table.ts";

const tokenKind = "U#<user> / TOK#<token>";
const guardKind = "TOK#<hash> / #";

/** Invariant 7: tokens have their guards and the reverse. A guard without its row opens stores that nobody sees. */
function checkTokens(facts: TableFacts): Finding[] {
  const tokens = facts.all<Token>(tokenKind);
  const tokenGuards = facts.all<TokenGuard>(guardKind);
  const guards = new Map(tokenGuards.map((guard) => [keyText(guard), guard]));
  const rows = new Set(tokens.map((token) => keyText(token)));
  const unguarded = tokens.flatMap((token: Token): Finding[] => {
    const guard: TokenGuard = {
      ...tokenGuardKey(token.hash),
      tokenId: token.id,
      userId: token.userId,
      scopes: token.scopes,
      ...defined({ expiresAt: token.expiresAt }),
      _v: 1,
    };
    if (guards.has(keyText(guard))) return [];
    const { hash, scopes, expiresAt } = token;
    const isListed = check(token, equals({ hash, scopes, expiresAt }));
    return [missing(7, guard, `token ${token.id} is in its owner's list`, isListed)];
  });
  const astray = tokenGuards.filter((guard) => !rows.has(keyText(tokenKey(guard.userId, guard.tokenId))));
  return [
    ...unguarded,
    ...astray.map((guard) => ({
      invariant: 7,
      key: `TOK#… / # of token ${guard.tokenId}`,
      problem: `opens the account of user ${guard.userId}, whose list does not show it`,
      remedy: "removes it: the token works no more",
      repair: mending(
        [check(tokenKey(guard.userId, guard.tokenId), absent)],
        remove(guard, equals({ userId: guard.userId, tokenId: guard.tokenId })),
      ),
    })),
  ];
}

export const tokenChecks: Checks = {
  reads: [tokenKind, guardKind],
  table: [(_, facts) => checkTokens(facts)],
};
