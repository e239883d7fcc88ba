import { OpenAPIHono } from "@hono/zod-openapi";
import type { Config } from "#core/config";
import { type Endpoint, routeOf } from "./endpoint.ts";

/** The version of the interface, as the service document states it. */
const interfaceVersion = "1.1.1";

/** The OpenAPI 3.1 document of these operations. */
export function openApiDocument(endpoints: readonly Endpoint[], config: Config): object {
  const { openAPIRegistry: registry, ...app } = collect(endpoints);
  registry.registerComponent("securitySchemes", "BasicAuth", { type: "http", scheme: "basic" });
  registry.registerComponent("securitySchemes", "Bearer", { type: "http", scheme: "bearer" });
  registry.registerComponent("securitySchemes", "Token", {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "the word token, a space, and the access token",
  });
  return app.document({
    openapi: "3.1.0",
    info: {
      title: "Coldforge API",
      version: interfaceVersion,
      description: "A git forge with no server to keep. Compatible with the Forgejo and Gitea API.",
      license: { name: "MIT" },
    },
    servers: [{ url: `${config.rootUrl}/api/v1` }],
  });
}

function collect(endpoints: readonly Endpoint[]) {
  const app = new OpenAPIHono();
  for (const one of endpoints) app.openAPIRegistry.registerPath(routeOf(one));
  return {
    openAPIRegistry: app.openAPIRegistry,
    document: (config: Parameters<typeof app.getOpenAPI31Document>[0]) => app.getOpenAPI31Document(config),
  };
}
