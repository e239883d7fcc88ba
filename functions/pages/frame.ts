import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { Config } from "#core/config";
import { seenPath } from "./local-path.ts";

/** Markup whose inserted values were escaped. */
export type Markup = Awaited<ReturnType<typeof html>>;

/** The content of a page, and the status and headers of its answer. */
export interface PageContent {
  readonly title: string;
  readonly body: Markup | Promise<Markup>;
  readonly status?: number;
  /** Where the browser goes on to by itself: a path as `seenPath` writes it. */
  readonly goesOnTo?: string;
  /**
   * The answer to a form of the page sends the browser to a program. Browsers hold a form's policy also against what
   * the program redirects to, and that nobody can list.
   */
  readonly formsLeadAway?: boolean;
}

const style =
  ":root{color-scheme:light dark;background:Canvas;color:CanvasText}a{color:light-dark(#0645ad,#9db8ff)}" +
  "body{font:16px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:40rem;padding:0 1rem}" +
  "label{display:block;margin:.8rem 0}input:not([type=hidden]){display:block;font:inherit;width:100%;max-width:20rem}" +
  "button{font:inherit;padding:.2rem 1rem}table{border-collapse:collapse}.wide{overflow-x:auto}" +
  "h1,p,li{overflow-wrap:anywhere}" +
  "td,th{padding:.3rem 1rem .3rem 0;text-align:left;vertical-align:top}.problem{border-left:4px solid #b00;padding-left:.8rem}";
const styleHash = createHash("sha256").update(style).digest("base64");

/** Nothing from elsewhere, no script, no frame around the page; forms lead to this service unless `formsLeadAway`. */
const policyOf = ({ formsLeadAway = false }: PageContent): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    ...(formsLeadAway ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The frame of every page. */
export async function pageAnswer(content: PageContent): Promise<Response> {
  const { title, body, status = 200, goesOnTo } = content;
  const refresh =
    goesOnTo === undefined ? "" : html`<meta http-equiv="refresh" content="0; url=${goesOnTo}">`;
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Coldforge</title>
${refresh}<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${await body}
</main>
</body>
</html>
`;
  return new Response(String(page), {
    status,
    headers: {
      "content-type": "text/html;charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policyOf(content),
      "cross-origin-opener-policy": "same-origin",
      // Forms name their origin only where addresses of pages may be told to pages of ours.
      "referrer-policy": "same-origin",
    },
  });
}

/** An answer that sends the browser on to a path of this service. */
export const goTo = ({ config }: { readonly config: Config }, path: string): Response =>
  leaveTo(seenPath(config, path));

/** An answer that sends the browser to an address elsewhere, which was checked. */
export const leaveTo = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });

/** A sentence that says what is wrong. */
export const problemText = (text: string | undefined): Markup | Promise<Markup> =>
  text === undefined ? html`` : html`<p class="problem" role="alert">${text}</p>`;

/**
 * A table that is moved sideways, also by keys, where the window is narrower than it. A column that says nothing of
 * itself has an empty heading.
 */
export const wideTable = (
  label: string,
  headings: readonly string[],
  rows: readonly (Markup | Promise<Markup>)[],
): Markup | Promise<Markup> => html`<div class="wide" role="region" aria-label="${label}" tabindex="0"><table>
<tr>${headings.map((one) => (one === "" ? html`<td></td>` : html`<th>${one}</th>`))}</tr>
${rows}
</table></div>`;
