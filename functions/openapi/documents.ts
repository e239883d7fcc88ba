import type { Hono } from "hono";
import type { Config } from "#core/config";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";
import { jsonAnswer, notModified } from "../http/answer/answer.ts";
import { problem } from "../http/answer/problems.ts";
import { countedByNetwork } from "../http/caller/counted-network.ts";
import { type EndpointGroup, loadAll } from "../http/loaded-routes.ts";

/** Documents the API, and finishes an answer. */
interface Documents {
  readonly groups: readonly EndpointGroup[];
  readonly forge: Forge;
  finish(headers: Headers): void;
}

/** They change only with the version; five minutes bound how long a reader may miss an upgrade. */
const cacheControl = "public, max-age=300, must-revalidate";

/** The page that documents the operations: every refusal names it (semantics §1.4). */
const pagePath = "/api/swagger";

/**
 * Serves the interface document as OpenAPI 3.1, as Swagger 2 and as a page for people (D-DOCUMENT), unless the setting
 * forbids it: its paths are unknown then. The first request for one loads the code that makes it.
 */
export function addDocuments(app: Hono, { groups, forge, finish }: Documents): void {
  const { config } = forge;
  if (!config.enableSwagger) return;
  const document = lazy(async () => {
    const { openApiDocument } = await import("./openapi.ts");
    return openApiDocument(await loadAll(groups), config);
  });
  const openApi = keptAnswer(document);
  const swagger = keptAnswer(async () => {
    const { swaggerDocument } = await import("./swagger.ts");
    return swaggerDocument(await document(), config);
  });
  const counted = countedByNetwork(forge, "heavy");
  const serve = (path: string, make: () => Response | Promise<Response>) =>
    app.all(path, counted, async ({ req }) => {
      const isRead = req.method === "GET" || req.method === "HEAD";
      const response = isRead ? notModified(req.raw, await make()) : wrongMethod(config);
      finish(response.headers);
      return req.method === "HEAD" ? new Response(null, response) : response;
    });
  serve("/api/v1/openapi.json", openApi);
  serve("/swagger.v1.json", swagger);
  serve(pagePath, async () => (await import("./document-page.ts")).pageOf(await document(), cacheControl));
  for (const path of ["/api", "/api/v1", "/api/v1/swagger"]) {
    serve(path, () => new Response(null, { status: 302, headers: { location: config.rootUrl + pagePath } }));
  }
}

/** The same answer each time, encoded once: readers share its bytes. */
function keptAnswer(make: () => Promise<object>): () => Promise<Response> {
  const kept = lazy(async () => {
    const bytes = Buffer.from(JSON.stringify(await make()));
    const { headers } = jsonAnswer(bytes, 200, new Headers({ "cache-control": cacheControl }));
    return { bytes, headers };
  });
  return async () => {
    const { bytes, headers } = await kept();
    return new Response(bytes, { headers });
  };
}

function wrongMethod({ rootUrl }: Config): Response {
  const response = problem(405, "this path answers GET, HEAD", rootUrl);
  response.headers.set("allow", "GET, HEAD");
  return response;
}
