import { createHash } from "node:crypto";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { badRequest, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { builtInNames, builtInOf } from "../oauth2-application/built-in.ts";
import { comparableRedirect } from "../oauth2-application/match-redirect.ts";
import { oauth2ApplicationGuardKey } from "../oauth2-application/oauth2-application.table.ts";
import { ownerKey, userPartition } from "../owner/owner.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, put, remove, type Write } from "../table/write.ts";
import {
  type OAuth2Grant,
  type OAuth2GrantMirror,
  oauth2GrantKey,
  oauth2GrantMirrorKey,
  oauth2GrantPrefix,
} from "./oauth2-grant.table.ts";
import { areWithin, widened } from "./scope.ts";

/** All are read to show them. */
const mostPerUser = 200;
/** The most addresses of a grant, as many as an application may have: each request by a token reads the grant. */
const mostAddresses = 20;

/** What a user lets a program do, or undefined when they never let it do anything. */
export const findOAuth2Grant = (
  { table }: Pick<Forge, "table">,
  userId: number,
  clientId: string,
): Promise<OAuth2Grant | undefined> => table.get<OAuth2Grant>(oauth2GrantKey(userId, clientId));

/** All that a user lets programs do, by their client ids. */
export const listOAuth2Grants = ({ table }: Pick<Forge, "table">, userId: number): Promise<OAuth2Grant[]> =>
  table.queryAll<OAuth2Grant>({ pk: userPartition(userId), prefix: oauth2GrantPrefix });

/** What a user agrees to, and the address that the page told them they return to. */
interface Agreement extends Pick<OAuth2Grant, "userId" | "clientId" | "scopes"> {
  readonly redirectUri?: string;
}

/**
 * Whether a user has agreed to be sent back to an address. One that was registered later is asked about once: whoever
 * may change an application gets no codes of those who agreed before.
 */
export const isAgreedAddress = ({ addresses = [] }: OAuth2Grant, redirectUri: string): boolean =>
  addresses.includes(addressHash(redirectUri));

const addressHash = (redirectUri: string): string =>
  createHash("sha256").update(comparableRedirect(redirectUri)).digest("base64url");

/**
 * Lets a program do what the scopes say, beside what it may do already (`widened`). Tokens that could do more than the
 * grant then says end: it is what its user is shown. NotFound when the user or the
 * program is gone, BadRequest when they let too many programs do something.
 */
export async function giveOAuth2Grant(
  { table, clock }: Pick<Forge, "table" | "clock">,
  { userId, clientId, scopes, redirectUri }: Agreement,
): Promise<OAuth2Grant> {
  const now = nowSeconds(clock);
  for await (const _attempt of attempts()) {
    const before = await findOAuth2Grant({ table }, userId, clientId);
    if (before === undefined) await requireRoom({ table }, userId);
    const agreed = before === undefined ? scopes : widened(before.scopes, scopes);
    const id = before !== undefined && areWithin(before.scopes, agreed) ? before.id : randomId();
    const grant: OAuth2Grant = {
      ...oauth2GrantKey(userId, clientId),
      ...{ id, userId, clientId, createdAt: before?.createdAt ?? now },
      scopes: agreed,
      addresses: withAddress(before?.addresses ?? [], redirectUri),
      updatedAt: now,
      v: (before?.v ?? 0) + 1,
      _v: 1,
    };
    const mirror: OAuth2GrantMirror = { ...oauth2GrantMirrorKey(clientId, userId), userId, _v: 1 };
    const { committed, ...outcome } = await table.transact([
      put(grant, before === undefined ? absent : equals({ v: before.v })),
      put(mirror),
      check(ownerKey(userId), equals({ kind: "user" })),
      ...programIsThere(clientId),
    ]);
    if (committed) return grant;
    if ("failed" in outcome && outcome.failed.some((at) => at > 0)) {
      throw notFound("the user or the program is not there any more");
    }
  }
  throw new Error("a grant is being changed by others all the time");
}

function withAddress(before: readonly string[], redirectUri: string | undefined): readonly string[] {
  if (redirectUri === undefined) return before;
  const hash = addressHash(redirectUri);
  return [...before.filter((one) => one !== hash), hash].slice(-mostAddresses);
}

async function requireRoom(forge: Pick<Forge, "table">, userId: number): Promise<void> {
  if ((await listOAuth2Grants(forge, userId)).length < mostPerUser) return;
  throw badRequest(
    `at most ${mostPerUser} programs may act for you: take it back from one that does not need it`,
  );
}

/** Built-in programs have no item. */
const programIsThere = (clientId: string): Write[] =>
  builtInOf(builtInNames, clientId) === undefined ? [check(oauth2ApplicationGuardKey(clientId), exists)] : [];

/** Takes back what a user let a program do: none of its tokens counts any more. Nothing happens when there is nothing. */
export async function removeOAuth2Grant(
  { table }: Pick<Forge, "table">,
  userId: number,
  clientId: string,
): Promise<void> {
  await table.transact([
    remove(oauth2GrantKey(userId, clientId)),
    remove(oauth2GrantMirrorKey(clientId, userId)),
  ]);
}
