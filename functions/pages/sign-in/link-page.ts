import { html } from "hono/html";
import { z } from "zod";
import { accountProblem } from "#core/access/account";
import { forbidden } from "#core/errors";
import { linkExternalLogin } from "#core/external-login/external-login";
import { logIn } from "#core/user/login";
import { formTo } from "../form.ts";
import { pageAnswer, problemText } from "../frame.ts";
import type { Page, PageRequest } from "../page.ts";
import { openSealed, sealed } from "../sealed.ts";
import { codeForm } from "./code-page.ts";
import { providedLoginShape } from "./provided-login.ts";
import { signIn } from "./sign-in.ts";

const linkSeconds = 600;

/** Somebody whom a provider has let in, and who is nobody here yet. */
const unlinkedKind = {
  purpose: "link of a login",
  shape: z.object({ login: providedLoginShape, goal: z.string() }),
};
type Unlinked = z.infer<typeof unlinkedKind.shape>;

/** Asks for name and password of the account that a login at a provider shall be linked to. */
export const linkForm = (
  asked: PageRequest,
  { problem, ...given }: Unlinked & { readonly problem?: string },
) => form(asked, sealed(asked, unlinkedKind, given, linkSeconds), problem);

/** Links a login at a provider to the account whose password, and code, is shown. */
export const linkPage: Page = {
  async post(asked, given) {
    const { forge, address } = asked;
    const ticket = given.get("ticket") ?? "";
    const unlinked = openSealed(asked, unlinkedKind, ticket);
    if (unlinked === undefined) throw forbidden("this took too long: begin anew with the other service");
    const [name, password] = [given.get("user_name")?.trim() ?? "", given.get("password") ?? ""];
    const outcome = await logIn(forge, { login: name, password, code: undefined, address });
    const { login, goal } = unlinked;
    switch (outcome.kind) {
      case "in": {
        const gate = accountProblem(outcome.user);
        if (gate !== undefined) throw gate;
        await linkExternalLogin(forge, outcome.user, login);
        return signIn(asked, outcome.user, goal);
      }
      case "code-needed":
        return codeForm(asked, { user: outcome.user, goal, link: login });
      case "no-account":
        return form(asked, ticket, outcome.problem);
      default:
        return form(asked, ticket, "The name or the password is wrong.");
    }
  },
};

function form({ forge, visitor }: PageRequest, ticket: string, problem?: string) {
  const fields = html`<input type="hidden" name="ticket" value="${ticket}">
<label>Name or e-mail address <input name="user_name" autocomplete="username" required autofocus></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Link and sign in</button>`;
  return pageAnswer({
    title: "Which account is yours?",
    status: problem === undefined ? 200 : 403,
    body: html`${problemText(problem)}
<p>Nobody here is linked to this login yet. Sign in with your password once; from then on the other service lets you in.</p>
${formTo(forge, visitor, "/user/link", fields)}`,
  });
}
