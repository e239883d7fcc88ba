import { Hono } from "hono";
import { closeCall, openCall } from "../http/call.ts";
import { authorizePage } from "../oauth2/authorize-page.ts";
import { grantPage } from "../oauth2/consent-page.ts";
import { programsPage } from "../oauth2/programs-page.ts";
import { addPage, type PageOptions } from "./page.ts";
import { messagePage } from "./refusal-page.ts";
import { codePage } from "./sign-in/code-page.ts";
import { linkPage } from "./sign-in/link-page.ts";
import { loginPage } from "./sign-in/login-page.ts";
import { logoutPage } from "./sign-in/logout-page.ts";
import { callbackPage, providerPage } from "./sign-in/provider-pages.ts";
import { sessionsPage } from "./sign-in/sessions-page.ts";

/** Pages for browsers: who signs in gets a session's cookie, which nothing but these pages reads. */
export function createPagesApp(options: PageOptions): Hono {
  const app = new Hono();
  addPage(app, options, "/user/login", loginPage);
  addPage(app, options, "/user/login/code", codePage);
  addPage(app, options, "/user/link", linkPage);
  addPage(app, options, "/user/oauth2/:source", providerPage);
  addPage(app, options, "/user/oauth2/:source/callback", callbackPage);
  addPage(app, options, "/user/logout", logoutPage);
  addPage(app, options, "/user/settings/sessions", sessionsPage);
  if (options.forge.config.oauth2Enabled) {
    addPage(app, options, "/user/settings/applications", programsPage);
    addPage(app, options, "/login/oauth/authorize", authorizePage);
    addPage(app, options, "/login/oauth/grant", grantPage);
  }
  app.notFound(async (context) =>
    closeCall(openCall(options, context), await messagePage(404, "There is no page at this address.")),
  );
  return app;
}
