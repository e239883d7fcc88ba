import { Hono } from "hono";
import { commonHeaders } from "../http/answer/answer-headers.ts";
import { cors } from "../http/cors.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { createLoadedRoutes, type EndpointGroup } from "../http/loaded-routes.ts";
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

/** The API as a Hono app: the same for Lambda and for one machine. */
export function createApi(options: ApiOptions): Hono {
  const { forge, endpoints } = options;
  const groups: readonly EndpointGroup[] =
    endpoints === undefined ? endpointGroups : [{ paths: ["/*"], load: async () => endpoints }];
  const app = new Hono();
  addHealth(app, forge);
  app.use(cors(forge.config));
  const finish = commonHeaders(forge.config);
  addDocuments(app, { groups, forge, finish });
  addNodeInfo(app, forge, finish);
  addAvatars(app, forge, finish);
  app.all("/api/actions/*", async (context) =>
    (await import("../runners/app.ts")).answerRunner(options, context),
  );
  serveOperations(app, { ...options, routes: createLoadedRoutes(groups), basePath: "/api/v1" });
  return app;
}
