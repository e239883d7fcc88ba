import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Cost, countRequest } from "#core/caller/rates";
import type { Forge } from "#core/forge";
import { findSession, noteSessionUse, type OpenSession } from "#core/session/session";
import { noteUserActivity } from "#core/usage/activity";
import type { Call } from "../http/call.ts";
import { cookieHeader, readCookie } from "./cookies.ts";

/** Who asks for a page. */
export interface Visitor {
  /** The session that the browser's cookie opens; undefined for visitors who are not signed in. */
  readonly signedIn: OpenSession | undefined;
  /** A text that only this browser knows: forms and sealed values are bound to it. */
  readonly browserKey: string;
  /** The `Set-Cookie` that makes the browser known, when it was not. */
  readonly newCookie: string | undefined;
}

const visitBytes = 24;

/**
 * Finds out who asks for a page, by cookies alone: credentials of the API mean nothing here. Counts the request:
 * RateLimited.
 */
export async function visitorOf({ forge, request, address }: Call, cost: Cost = "light"): Promise<Visitor> {
  const { config } = forge;
  const cookie = readCookie(request.headers, "session", config);
  if (cookie === undefined) countRequest(forge, { address }, cost);
  const signedIn = cookie === undefined ? undefined : await findSession(forge, cookie);
  if (cookie !== undefined && signedIn !== undefined) {
    countRequest(forge, { userId: signedIn.user.id }, cost);
    return { signedIn, browserKey: cookie, newCookie: undefined };
  }
  if (cookie !== undefined) countRequest(forge, { address }, cost);
  const visit = readCookie(request.headers, "visit", config);
  if (visit !== undefined && /^[\w-]{32}$/.test(visit)) {
    return { signedIn: undefined, browserKey: visit, newCookie: undefined };
  }
  const browserKey = randomBytes(visitBytes).toString("base64url");
  return { signedIn: undefined, browserKey, newCookie: cookieHeader("visit", browserKey, config) };
}

/** Notes that the session and its account are used, once the answer is made. Never fails it. */
export async function noteVisit(forge: Forge, { signedIn }: Visitor): Promise<void> {
  if (signedIn === undefined) return;
  const { session, user } = signedIn;
  await Promise.all([noteSessionUse(forge, session), noteUserActivity(forge, user)]).catch((error: unknown) =>
    forge.log.warn("pages:visit-not-noted", { error }),
  );
}

/** The token that every form carries: it proves that a page of ours, in this browser, has made the form. */
export const formToken = (forge: Forge, { browserKey }: Pick<Visitor, "browserKey">): string =>
  forge.secrets.digest("form", browserKey).toString("base64url");

export function isFormToken(forge: Forge, visitor: Visitor, token: string): boolean {
  const [given, expected] = [Buffer.from(token), Buffer.from(formToken(forge, visitor))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
