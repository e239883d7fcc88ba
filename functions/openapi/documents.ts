import type { Hono } from "hono";
import type { Config } from "#core/config";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";
import { notModified, taggedAnswer } from "../http/answer/answer.ts";
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
  const openApi = keptAnswer(async () => JSON.stringify(await document()));
  const swagger = keptAnswer(async () => {
    const { swaggerDocument } = await import("./swagger.ts");
    return JSON.stringify(swaggerDocument(await document(), config));
  });
  const page = keptAnswer(async (headers) => {
    const { apiPage, pagePolicy } = await import("./page/page.ts");
    headers.set("content-security-policy", pagePolicy);
    headers.set("referrer-policy", "no-referrer");
    return apiPage(await document());
  }, "text/html;charset=utf-8");
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
  serve(pagePath, page);
  for (const path of ["/api", "/api/v1", "/api/v1/swagger"]) {
    serve(path, () => new Response(null, { status: 302, headers: { location: config.rootUrl + pagePath } }));
  }
}

/** The same answer each time, encoded once: readers share its bytes. */
function keptAnswer(
  make: (headers: Headers) => Promise<string>,
  type = "application/json;charset=utf-8",
): () => Promise<Response> {
  const kept = lazy(async () => {
    const given = new Headers({ "cache-control": cacheControl });
    const bytes = Buffer.from(await make(given));
    const { headers } = taggedAnswer(bytes, type, 200, given);
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
