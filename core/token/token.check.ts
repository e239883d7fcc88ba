import { defined } from "../defined.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import type { Finding } from "../lifecycle/check/finding.ts";
import { guardFindings } from "../lifecycle/check/guard-findings.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { equals } from "../table/condition.ts";
import { check } from "../table/write.ts";
import { type Token, type TokenGuard, tokenGuardKey, tokenKey } from "./token.table.ts";

const tokenKind = "U#<user> / TOK#<token>";
const guardKind = "TOK#<hash> / #";

/** Invariant 7: tokens have their guards and the reverse. A guard without its row opens stores that nobody sees. */
const checkTokens = (facts: TableFacts): Finding[] =>
  guardFindings<Token, TokenGuard>({
    invariant: 7,
    name: "a token in its owner's list",
    things: facts.all<Token>(tokenKind),
    guards: facts.all<TokenGuard>(guardKind),
    guardsOf: ({ hash, id, userId, scopes, expiresAt, mintedBy }) => {
      const kept = defined({ expiresAt, mintedBy });
      return [{ ...tokenGuardKey(hash), tokenId: id, userId, scopes, ...kept, _v: 1 }];
    },
    stays: ({ pk, sk, hash, scopes, expiresAt, mintedBy }) =>
      check({ pk, sk }, equals({ hash, scopes, expiresAt, mintedBy })),
    thingOf: ({ userId, tokenId }) => tokenKey(userId, tokenId),
    shown: ({ tokenId, userId }) => `TOK#… / # of token ${tokenId} of user ${userId}`,
  });

export const tokenChecks: Checks = {
  reads: [tokenKind, guardKind],
  table: [(_, facts) => checkTokens(facts)],
};
