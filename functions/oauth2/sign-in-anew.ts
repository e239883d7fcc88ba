import { createHash } from "node:crypto";
import { z } from "zod";
import { nowSeconds } from "#core/clock";
import { openSealedValue, sealValue } from "#core/sealed-value";
import type { PageRequest } from "../pages/page.ts";
import { signInFirst } from "../pages/sign-in/sign-in.ts";
import type { AuthorizeRequest } from "./authorize-request.ts";
import { isOfUserMeant, shortenHint, type UserMeant } from "./user-meant.ts";

/** Says in the address, sealed, that the user was sent to sign in anew for this request, and when. */
const markName = "signed_in_anew";
const markMs = 3_600_000;

const mark = {
  purpose: "oauth2-sign-in-anew",
  shape: z.object({
    request: z.string(),
    /** Seconds: a session has to be as young. */
    since: z.number(),
    /** The session that they had. */
    former: z.string().optional(),
    /** Milliseconds. */
    until: z.number(),
  }),
};

/**
 * The way to the page where a user signs in though they are signed in, when a program asks for it by `prompt=login`,
 * `prompt=select_account` or `max_age`, or means another user (OpenID Connect Core, section 3.1.2.1); undefined when they
 * need not, or did so for this very request.
 */
export function signInNeeded(
  asked: PageRequest,
  { prompts, maxAge }: Pick<AuthorizeRequest, "prompts" | "maxAge">,
  meant: UserMeant | undefined,
): Response | undefined {
  const { forge, url, visitor } = asked;
  const now = nowSeconds(forge.clock);
  const session = visitor.signedIn?.session;
  const isAsked = prompts.has("login") || prompts.has("select_account");
  // A visitor without a session is marked, too: however slowly they go on, they need not sign in twice.
  const isOld = maxAge !== undefined && (session === undefined || now - session.createdAt > maxAge);
  const isAnother = meant !== undefined && meant.userId !== visitor.signedIn?.user.id;
  if (!isAsked && !isOld && !isAnother) return undefined;
  const request = digestOf(url, meant);
  const marked = openSealedValue(forge, mark, url.searchParams.get(markName) ?? "");
  const isAnew =
    marked?.request === request &&
    session !== undefined &&
    session.createdAt >= marked.since &&
    session.id !== marked.former;
  if (isAnew) return undefined;
  const until = forge.clock.now() + markMs;
  const back = new URL(url);
  if (meant !== undefined) shortenHint(forge, back, meant);
  back.searchParams.set(
    markName,
    sealValue(forge, mark, { request, since: now, former: session?.id, until }),
  );
  return signInFirst({ ...asked, url: back }, { isAnew: isAsked || isOld || session !== undefined });
}

/** The request without the mark: one mark is for one request. */
function digestOf({ searchParams }: URL, meant: UserMeant | undefined): string {
  const others = [...searchParams].filter(([name]) => name !== markName && !isOfUserMeant(name));
  return createHash("sha256")
    .update(JSON.stringify([others, meant?.userId ?? null]))
    .digest("base64url");
}
