import { Hono } from "hono";
import { unboundedIntake } from "#core/capacity/intake";
import type { Forge } from "#core/forge";
import { endpointGroups } from "../api/endpoints.ts";
import { createLoadedRoutes, type EndpointGroup } from "../http/loaded-routes.ts";
import { serveLinkedAnswers, serveOperations } from "../http/serve.ts";

const fileGroup: EndpointGroup = {
  paths: ["/*"],
  load: async () => (await import("./endpoints.ts")).fileEndpoints,
};

/**
 * Files under the addresses in the API's answers, with the API's credentials, rights and refusals; and the answers that
 * were too large for the API's gateway.
 */
export function createFilesApp(forge: Forge, intake = unboundedIntake()): Hono {
  const app = new Hono();
  const options = { forge, intake };
  serveLinkedAnswers(app, { ...options, routes: createLoadedRoutes(endpointGroups), basePath: "/api/v1" });
  serveOperations(app, { ...options, routes: createLoadedRoutes([fileGroup]), basePath: "" });
  return app;
}
