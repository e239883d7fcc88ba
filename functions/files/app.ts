import { Hono } from "hono";
import type { Forge } from "#core/forge";
import { unboundedIntake } from "#core/intake";
import { archiveEndpoints } from "../api/archive/endpoints.ts";
import { codeEndpoints } from "../api/code/endpoints.ts";
import { serveLinkedAnswers, serveOperations } from "../http/serve.ts";
import { fileEndpoints } from "./endpoints.ts";

/**
 * Files under the addresses in the API's answers, with the API's credentials, rights and refusals; and the answers that
 * were too large for the API's gateway.
 */
export function createFilesApp(forge: Forge, intake = unboundedIntake()): Hono {
  const app = new Hono();
  const linked = [...codeEndpoints, ...archiveEndpoints];
  serveLinkedAnswers(app, { forge, intake, endpoints: linked, basePath: "/api/v1" });
  serveOperations(app, { forge, intake, endpoints: fileEndpoints, basePath: "" });
  return app;
}
