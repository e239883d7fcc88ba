import { html } from "hono/html";
import { logIn } from "#core/user/login";
import { formTo } from "../form.ts";
import { goTo, pageAnswer, problemText } from "../frame.ts";
import { seenPath } from "../local-path.ts";
import type { Page, PageRequest } from "../page.ts";
import { codeForm } from "./code-page.ts";
import { goalOf, type SignInAnew, signIn } from "./sign-in.ts";

/** Asks for name or e-mail address and password, and lets in whom Basic authentication lets in. */
export const loginPage: Page = {
  async get(asked) {
    const goal = goalOf(asked.url.searchParams.get("redirect_to"));
    const isAnew = asked.url.searchParams.get("anew") === "true";
    if (asked.visitor.signedIn !== undefined && !isAnew) return goTo(asked.forge, goal);
    return loginForm(asked, { goal, isAnew });
  },
  async post(asked, form) {
    const { forge, address } = asked;
    const isAnew = form.get("anew") === "true";
    const [login, password] = [form.get("user_name")?.trim() ?? "", form.get("password") ?? ""];
    const goal = goalOf(form.get("redirect_to"));
    const outcome = await logIn(forge, { login, password, code: undefined, address });
    switch (outcome.kind) {
      case "in":
        return signIn(asked, outcome.user, goal);
      case "code-needed":
        return codeForm(asked, { user: outcome.user, goal });
      case "no-account":
        return loginForm(asked, { goal, isAnew, login, problem: outcome.problem });
      default:
        return loginForm(asked, { goal, isAnew, login, problem: "The name or the password is wrong." });
    }
  },
};

interface LoginForm extends SignInAnew {
  readonly goal: string;
  readonly login?: string;
  readonly problem?: string;
}

/** The first field that is empty has the focus. */
const focused = html` autofocus`;

function loginForm(
  { forge, visitor }: PageRequest,
  { goal, isAnew = false, login = "", problem }: LoginForm,
) {
  const fields = html`<input type="hidden" name="redirect_to" value="${goal}">
<input type="hidden" name="anew" value="${String(isAnew)}">
<label>Name or e-mail address <input name="user_name" value="${login}" autocomplete="username" required${login === "" ? focused : ""}></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required${login === "" ? "" : focused}></label>
<button>Sign in</button>`;
  const providers = forge.config.openIdSources.map(({ name, title = name }) => {
    const path = `/user/oauth2/${name}?${new URLSearchParams({ redirect_to: goal, ...(isAnew ? { anew: "true" } : {}) })}`;
    return html`<p><a href="${seenPath(forge.config, path)}">Sign in with ${title}</a></p>`;
  });
  return pageAnswer({
    title: "Sign in",
    status: problem === undefined ? 200 : 403,
    body: html`${problemText(problem)}${formTo(forge, visitor, "/user/login", fields)}${providers}`,
  });
}
