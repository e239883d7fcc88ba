import type { Hono } from "hono";
import { giveWay } from "#core/concurrency/give-way";
import type { Config } from "#core/config";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";
import { notModified } from "../http/answer/answer.ts";
import { problem } from "../http/answer/problems.ts";
import { countedByNetwork } from "../http/caller/counted-network.ts";
import { type EndpointGroup, loadAll } from "../http/loaded-routes.ts";
import { keptAnswer } from "./kept-answer.ts";

/** Documents the API, and finishes an answer. */
interface Documents {
  readonly groups: readonly EndpointGroup[];
  readonly forge: Forge;
  finish(headers: Headers): void;
}

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
    const made = await openApiDocument(await loadAll(groups), config);
    await giveWay(); // before it is written in a form
    return made;
  });
  const openApi = keptAnswer(async () => JSON.stringify(await document()));
  const swagger = keptAnswer(async () => {
    const { swaggerDocument } = await import("./swagger.ts");
    const made = swaggerDocument(await document(), config);
    await giveWay();
    return JSON.stringify(made);
  });
  const page = keptAnswer(async (headers) => {
    const { apiPage, pagePolicy } = await import("./page/page.ts");
    headers.set("content-security-policy", pagePolicy);
    headers.set("referrer-policy", "no-referrer");
    return apiPage(await document());
  }, "text/html;charset=utf-8");
  const counted = countedByNetwork(forge, "heavy");
  const serve = (path: string, make: (request: Request) => Response | Promise<Response>) =>
    app.all(path, counted, async ({ req }) => {
      const isRead = req.method === "GET" || req.method === "HEAD";
      const response = isRead ? notModified(req.raw, await make(req.raw)) : wrongMethod(config);
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

function wrongMethod({ rootUrl }: Config): Response {
  const response = problem(405, "this path answers GET, HEAD", rootUrl);
  response.headers.set("allow", "GET, HEAD");
  return response;
}
