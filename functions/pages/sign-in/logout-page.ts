import { html } from "hono/html";
import { endSession } from "#core/session/session";
import { endedCookieHeader } from "../cookies.ts";
import { formTo } from "../form.ts";
import { goTo, pageAnswer } from "../frame.ts";
import type { Page, PageRequest } from "../page.ts";

/** Ends the session of the browser. A link alone does not: any site could have one. */
export const logoutPage: Page = {
  async get({ forge, visitor }) {
    if (visitor.signedIn === undefined) return goTo(forge, "/user/login");
    const button = html`<button>Sign out</button>`;
    return pageAnswer({ title: "Sign out", body: formTo(forge, visitor, "/user/logout", button) });
  },
  post: async (asked) => signOut(asked),
};

/** Ends the visitor's own session, and has the browser forget it. */
export async function signOut({ forge, visitor }: PageRequest): Promise<Response> {
  const { session } = visitor.signedIn ?? {};
  if (session !== undefined) await endSession(forge, session.userId, session.id);
  const response = goTo(forge, "/user/login");
  response.headers.append("set-cookie", endedCookieHeader("session", forge.config));
  return response;
}
