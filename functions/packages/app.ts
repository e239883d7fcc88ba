import { Hono } from "hono";
import { unboundedIntake } from "#core/capacity/intake";
import type { Forge } from "#core/forge";
import { createLoadedRoutes, type EndpointGroup } from "../http/loaded-routes.ts";
import { serveOperations } from "../http/serve.ts";
import { registryRefusals } from "./refusals.ts";

/** The registries, each with an adapter of its own: what its clients say, turned into the verbs of packages. */
const registryGroups: readonly EndpointGroup[] = [
  {
    paths: ["/{owner}/generic/*"],
    load: async () => (await import("./generic/endpoints.ts")).genericEndpoints,
  },
  {
    paths: ["/{owner}/npm/*"],
    load: async () => (await import("./npm/endpoints.ts")).npmEndpoints,
  },
];

/** The registries below `/api/packages`; the API beside them manages packages of all kinds. */
export function createPackagesApp(forge: Forge, intake = unboundedIntake()): Hono {
  const app = new Hono();
  serveOperations(app, {
    ...{ forge, intake, routes: createLoadedRoutes(registryGroups) },
    ...{ basePath: "/api/packages", refuse: registryRefusals },
  });
  return app;
}
