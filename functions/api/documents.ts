import type { Hono } from "hono";
import type { Config } from "#core/config";
import { jsonAnswer, notModified } from "./answer.ts";
import type { Endpoint } from "./endpoint.ts";
import { type OpenApiDocument, openApiDocument } from "./openapi.ts";
import { problem } from "./problems.ts";
import { swaggerDocument } from "./swagger.ts";

/** What says how the API is used, and how an answer is finished. */
interface Documents {
  readonly endpoints: readonly Endpoint[];
  readonly config: Config;
  finish(headers: Headers): void;
}

/** The documents change with the version alone; five minutes bound how long a reader may miss an upgrade. */
const cacheControl = "public, max-age=300, must-revalidate";

/** Where people read what they can call: every refusal names it (semantics §1.4). */
const pagePath = "/api/swagger";

/**
 * Serves the interface document as OpenAPI 3.1, as Swagger 2 and as a page for people (D-DOCUMENT), unless the setting
 * says not to: its paths are unknown then.
 */
export function addDocuments(app: Hono, { endpoints, config, finish }: Documents): void {
  if (!config.enableSwagger) return;
  let made: OpenApiDocument | undefined;
  const document = () => {
    made ??= openApiDocument(endpoints, config);
    return made;
  };
  const serve = (path: string, make: () => Response) =>
    app.all(path, ({ req }) => {
      const isRead = req.method === "GET" || req.method === "HEAD";
      const response = isRead ? notModified(req.raw, make()) : wrongMethod(config);
      finish(response.headers);
      return req.method === "HEAD" ? new Response(null, response) : response;
    });
  const json = (value: object) =>
    jsonAnswer(JSON.stringify(value), 200, new Headers({ "cache-control": cacheControl }));
  serve("/api/v1/openapi.json", () => json(document()));
  serve("/swagger.v1.json", () => json(swaggerDocument(document(), config)));
  serve(pagePath, () => page(document()));
  for (const path of ["/api", "/api/v1", "/api/v1/swagger"]) {
    serve(path, () => new Response(null, { status: 302, headers: { location: config.rootUrl + pagePath } }));
  }
}

function wrongMethod({ rootUrl }: Config): Response {
  const response = problem(405, "this path answers GET, HEAD", rootUrl);
  response.headers.set("allow", "GET, HEAD");
  return response;
}

const style =
  "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}" +
  "code{font-size:13px}td{padding:.1rem .8rem .1rem 0;vertical-align:top}.m{text-transform:uppercase}";

/** A plain page: no script, nothing from elsewhere. */
function page(document: OpenApiDocument): Response {
  const { title, description } = document.info;
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${style}</style>
<h1>${title}</h1><p>${escaped(description)}</p>
<p>For programs: <a href="v1/openapi.json">OpenAPI 3.1</a>, <a href="../swagger.v1.json">Swagger 2</a>.
Log in with a token (<code>Authorization: token …</code>) or with name and password (Basic).</p>
${sections(document)}</html>`;
  return new Response(html, {
    headers: {
      "content-type": "text/html;charset=utf-8",
      "cache-control": cacheControl,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    },
  });
}

function sections({ paths }: OpenApiDocument): string {
  const rows = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { tags, summary }] of Object.entries(operations)) {
      const cells = [
        `<td class="m"><code>${method}</code>`,
        `<td><code>${path}</code>`,
        `<td>${escaped(summary)}`,
      ];
      const [tag = ""] = tags;
      rows.set(tag, [...(rows.get(tag) ?? []), `<tr>${cells.join("")}`]);
    }
  }
  return [...rows].map(([tag, lines]) => `<h2>${tag}</h2><table>${lines.join("\n")}</table>`).join("\n");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
