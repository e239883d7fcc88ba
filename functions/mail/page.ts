import { escapeHtml } from "#core/escape-html";

/** What a page says. */
export interface PageText {
  readonly title: string;
  readonly text: string;
}

/** Nothing may run or be loaded in it, and no other page may show it or learn its address. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** A page, with a button that posts to its own address if one is given. */
export function pageOf(status: number, { title, text }: PageText, button?: string): Response {
  const form =
    button === undefined
      ? ""
      : `<form method="post"><button type="submit">${escapeHtml(button)}</button></form>\n`;
  const body =
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n` +
    `<meta name="viewport" content="width=device-width">\n<title>${escapeHtml(title)}</title>\n` +
    `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>\n${form}</html>\n`;
  return new Response(body, { status, headers });
}
