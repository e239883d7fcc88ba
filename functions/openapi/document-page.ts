import type { OpenApiDocument } from "./openapi.ts";
import { meanings } from "./refusals.ts";
import { remedies } from "./remedies.ts";

const style =
  "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}" +
  "code{font-size:13px}td{padding:.1rem .8rem .1rem 0;vertical-align:top}.m{text-transform:uppercase}";

/** The operations as a plain page: no script, nothing from elsewhere. */
export function pageOf(document: OpenApiDocument, cacheControl: string): Response {
  const { title, description } = document.info;
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${style}</style>
<h1>${title}</h1><p>${escaped(description)}</p>
<p>A request was refused? <a href="#errors">What refusals mean, and what to do</a>.</p>
<p>For programs: <a href="v1/openapi.json">OpenAPI 3.1</a>, <a href="../swagger.v1.json">Swagger 2</a>.
Log in with a token (<code>Authorization: token …</code>) or with name and password (Basic).</p>
${sections(document)}
${refusals()}</html>`;
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

/** What each refusal means, and what to do. */
function refusals(): string {
  const rows = Object.entries(meanings).map(
    ([status, meaning]) =>
      `<tr><td><code>${status}</code><td>${escaped(meaning)}<td>${escaped(remedies[Number(status)] ?? "")}`,
  );
  return `<h2 id="errors">Refusals</h2><table>${rows.join("\n")}</table>`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
