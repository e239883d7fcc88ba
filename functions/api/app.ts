import { type Context, Hono } from "hono";
import { lazy } from "#core/lazy";
import { commonHeaders } from "../http/answer/answer-headers.ts";
import { cors } from "../http/cors.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { createLoadedRoutes, type EndpointGroup } from "../http/loaded-routes.ts";
import { nameRequests } from "../http/request-id.ts";
import { type OperationsOptions, serveOperations } from "../http/serve.ts";
import { addDocuments } from "../openapi/documents.ts";
import { addAvatars } from "./avatar/avatars.ts";
import { endpointGroups } from "./endpoints.ts";
import { addHealth } from "./miscellaneous/health.ts";
import { addNodeInfo } from "./miscellaneous/node-info.ts";

/** The options of the API; every operation when `endpoints` is absent. */
export interface ApiOptions extends Omit<OperationsOptions, "routes" | "basePath"> {
  readonly endpoints?: readonly Endpoint[];
}

/** The API, and the pages, as a Hono app: the same for Lambda and for one machine. */
export function createApi(options: ApiOptions): Hono {
  const { forge, endpoints } = options;
  const groups: readonly EndpointGroup[] =
    endpoints === undefined ? endpointGroups : [{ paths: ["/*"], load: async () => endpoints }];
  const app = new Hono();
  app.use(nameRequests);
  addHealth(app, forge);
  // Before pages of other sites are let in: what a session's cookie opens is for our own alone.
  const pages = lazy(async () => (await import("../pages/app.ts")).createPagesApp(options));
  const answerPage = async ({ req, env }: Context) => (await pages()).fetch(req.raw, env);
  app.all("/user/*", answerPage);
  const answerOAuth2 = async (context: Context) =>
    (await import("../oauth2/app.ts")).answerOAuth2(options, context);
  app.post("/login/oauth/authorize", answerOAuth2);
  app.all("/login/oauth/authorize", answerPage);
  app.all("/login/oauth/grant", answerPage);
  app.use(cors(forge.config));
  const finish = commonHeaders(forge.config);
  addDocuments(app, { groups, forge, finish });
  addNodeInfo(app, forge, finish);
  addAvatars(app, forge, finish);
  app.all("/api/actions/*", async (context) =>
    (await import("../runners/app.ts")).answerRunner(options, context),
  );
  app.all("/login/oauth/*", answerOAuth2);
  app.all("/.well-known/openid-configuration", answerOAuth2);
  serveOperations(app, { ...options, routes: createLoadedRoutes(groups), basePath: "/api/v1" });
  return app;
}
