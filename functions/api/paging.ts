import type { Config } from "#core/config";

/** A page that a caller asks for (semantics §1.6, D-PAGING). `isAsked` is false when he named neither page nor limit. */
export interface Page {
  readonly page: number;
  readonly limit: number;
  readonly isAsked: boolean;
}

/** Rows of one page and how many there are in all. `isExact` is false once a stated bound was passed (D-TOTAL). */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly isExact?: boolean;
}

const largestPage = 2 ** 31;

/** Reads `page` and `limit`; never an error: what makes no sense behaves as absent, what is too large is clamped. */
export function readPage(query: URLSearchParams, config: Config): Page {
  const page = positive(query.get("page"));
  const limit = positive(query.get("limit"));
  return {
    page: Math.min(page ?? 1, largestPage),
    limit: Math.min(limit ?? config.defaultPagingNum, config.maxResponseItems),
    isAsked: query.has("page") || query.has("limit"),
  };
}

function positive(text: string | null): number | undefined {
  const value = Number(text ?? "");
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

/** The rows of `page` out of all rows. */
export function pageOf<T>(rows: readonly T[], page: Page): Listing<T> {
  const start = (page.page - 1) * page.limit;
  return { items: rows.slice(start, start + page.limit), total: rows.length };
}

/** All rows when the caller asked for no page, else that page: the lists that the family does not page (D-PAGING). */
export function wholeUnlessAsked<T>(rows: readonly T[], page: Page): Listing<T> {
  return page.isAsked ? pageOf(rows, page) : { items: rows, total: rows.length };
}

/** `X-Total-Count` and, with more than one page, `Link`: next, last, first, prev, each only where it leads somewhere else. */
export function pagingHeaders(listing: Listing<unknown>, page: Page, requestUrl: URL): Headers {
  const headers = new Headers({ "x-total-count": String(listing.total) });
  const isExact = listing.isExact ?? true;
  if (!isExact) headers.set("x-total-count-exact", "false");
  const last = Math.max(1, Math.ceil(listing.total / page.limit));
  const current = Math.min(page.page, last);
  const links: string[] = [];
  const add = (rel: string, to: number) => links.push(`<${withPage(requestUrl, to)}>; rel="${rel}"`);
  if (current < last) add("next", current + 1);
  if (current < last && isExact) add("last", last);
  if (current > 1) add("first", 1);
  if (current > 1) add("prev", current - 1);
  if (links.length > 0) headers.set("link", links.join(","));
  headers.set("access-control-expose-headers", links.length > 0 ? "X-Total-Count, Link" : "X-Total-Count");
  return headers;
}

/** The header of a list that was not asked for by pages and had to be cut (D-BIGBODY). */
export const nextLink = (requestUrl: URL, next: Pick<Page, "page" | "limit">): Record<string, string> => ({
  link: `<${withPage(requestUrl, next.page, next.limit)}>; rel="next"`,
});

function withPage(requestUrl: URL, page: number, limit?: number): string {
  const url = new URL(requestUrl);
  for (const secret of ["token", "access_token"]) url.searchParams.delete(secret);
  url.searchParams.set("page", String(page));
  if (limit !== undefined) url.searchParams.set("limit", String(limit));
  url.searchParams.sort();
  return url.href;
}
