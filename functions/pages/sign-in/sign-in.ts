import { html } from "hono/html";
import { accountProblem } from "#core/access/account";
import type { Forge } from "#core/forge";
import { endSession, openSession } from "#core/session/session";
import type { User } from "#core/user/user.table";
import { cookieHeader } from "../cookies.ts";
import { goTo, pageAnswer } from "../frame.ts";
import { localPath, seenPath } from "../local-path.ts";
import type { PageRequest } from "../page.ts";

const startPath = "/user/settings/sessions";
const loginPath = "/user/login";

/** Where a visitor goes on to once they are signed in. */
export const goalOf = (text: string | null | undefined): string => localPath(text) ?? startPath;

/** Whether somebody who is signed in shall sign in once more. */
export interface SignInAnew {
  readonly isAnew?: boolean;
}

/** Sends a visitor to the page where they sign in, and back to what they asked for. */
export function signInFirst({ forge, url }: PageRequest, { isAnew = false }: SignInAnew = {}): Response {
  const goal = new URLSearchParams({
    redirect_to: url.pathname + url.search,
    ...(isAnew ? { anew: "true" } : {}),
  });
  return goTo(forge, `${loginPath}?${goal}`);
}

/**
 * Signs a user in who has proven who they are, in a session of its own: the one that the browser had before ends.
 * Throws the refusal of accounts that may do nothing (semantics §2.2).
 */
export async function signIn(
  { forge, request, address, visitor }: PageRequest,
  user: User,
  goal: string,
): Promise<Response> {
  const problem = accountProblem(user);
  if (problem !== undefined) throw problem;
  const userAgent = request.headers.get("user-agent") ?? "";
  const cookie = await openSession(forge, user, { address, userAgent });
  if (visitor.signedIn !== undefined) {
    const { userId, id } = visitor.signedIn.session;
    await endSession(forge, userId, id);
  }
  const response = await goOn(forge, goal);
  const maxAge = forge.config.sessionDays * 86_400;
  response.headers.append("set-cookie", cookieHeader("session", cookie, forge.config, maxAge));
  forge.log.info("sign-in:opened", { userId: user.id });
  return response;
}

/**
 * Pages of programs that people let act for them may lead to other sites: browsers would take that for a part of what
 * the form asked for, and the form's page allows none of it. A page in between begins anew.
 */
const goOn = (forge: Forge, goal: string): Response | Promise<Response> =>
  goal.startsWith("/login/oauth/")
    ? pageAnswer({
        title: "Signed in",
        body: html`<p><a href="${seenPath(forge.config, goal)}">Go on</a></p>`,
        goesOnTo: seenPath(forge.config, goal),
      })
    : goTo(forge, goal);
