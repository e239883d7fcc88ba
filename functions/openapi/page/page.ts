import { createHash } from "node:crypto";
import { escapeHtml } from "#core/escape-html";
import type { OpenApiDocument } from "../openapi.ts";
import { meanings } from "../refusals.ts";
import { remedies } from "../remedies.ts";
import { operationSection } from "./operation.ts";
import { namedSchemas } from "./schemas.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page's own style and script and requests to this host; no form leads anywhere, no frame is around it. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** The operations as a page, which sends them as well: all of it in one answer, nothing from elsewhere. */
export function apiPage(document: OpenApiDocument): string {
  const { title, description } = document.info;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head><body>
<header><h1>${escapeHtml(title)}</h1><p>${escapeHtml(description)}</p>
<p>A request was refused? <a href="#errors">What refusals mean, and what to do</a>.</p>
<p>For programs: <a href="v1/openapi.json">OpenAPI 3.1</a>, <a href="../swagger.v1.json">Swagger 2</a>.
Log in with a token (<code>Authorization: token …</code>) or with name and password (Basic).</p></header>
<main>
<section class="live" aria-labelledby="try"><h2 id="try">Try it</h2>
<p>Open an operation, fill it in and send it: it is done for real. What changes tokens or the second factor wants name and password, for which this page has no field.</p>
<label>Token <i>stays on this page until you leave it</i><input type="password" id="token" autocomplete="off" spellcheck="false"></label>
</section>
<div class="find live"><label>Find an operation <input type="search" id="find" autocomplete="off"></label><span id="found" role="status"></span></div>
${groups(document)}
<section><h2 id="schemas">Values</h2>
${namedSchemas(document)}</section>
${refusals()}
</main>
<script>${script}</script></body></html>`;
}

function groups(document: OpenApiDocument): string {
  const sections = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const [tag = ""] = operation.tags;
      const section = sections.get(tag) ?? [];
      section.push(operationSection(document, { method, path, operation }));
      sections.set(tag, section);
    }
  }
  return [...sections]
    .map(([tag, lines]) => `<section class="group"><h2>${escapeHtml(tag)}</h2>${lines.join("\n")}</section>`)
    .join("\n");
}

/** What each refusal means, and what to do. */
function refusals(): string {
  const rows = Object.entries(meanings).map(
    ([status, meaning]) =>
      `<tr><td><code>${status}</code><td>${escapeHtml(meaning)}<td>${escapeHtml(remedies[Number(status)] ?? "")}`,
  );
  return `<section><h2 id="errors">Refusals</h2><table><tr><th>Status</th><th>Means</th><th>What to do</th></tr>${rows.join("\n")}</table></section>`;
}
