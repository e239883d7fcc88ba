import type { Config } from "#core/config";
import { type PageRequest, rowsOfPage } from "#core/page";

/**
 * A page that a caller asks for (semantics §1.6, D-PAGING). `isAsked` is false when they named neither page nor limit.
 */
export interface Page extends PageRequest {
  readonly isAsked: boolean;
}

/** Rows of one page and the number of all. `isExact` is false once a stated bound was passed (D-TOTAL). */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly isExact?: boolean;
  /** Set when the rows were cut because of their size (D-BIGBODY). */
  readonly next?: PageRequest;
}

/** The same with rows that are made one after the other, as far as the answer has room for them. */
export interface RowByRow<T> extends Omit<Listing<T>, "items"> {
  readonly items: AsyncIterable<T>;
}

const largestPage = 2 ** 31;

/** Reads `page` and `limit`; never an error: senseless values count as absent, too large ones are clamped. */
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
  return { items: rowsOfPage(rows, page), total: rows.length };
}

/** All rows when the caller asked for no page, else that page: the lists that the family does not page (D-PAGING). */
export function wholeUnlessAsked<T>(rows: readonly T[], page: Page): Listing<T> {
  return page.isAsked ? pageOf(rows, page) : { items: rows, total: rows.length };
}

/**
 * `X-Total-Count` and, when the rows are not all, `Link`: next, last, first, prev, each only when it leads somewhere
 * else (D-PAGING).
 */
export function pagingHeaders(listing: Listing<unknown>, page: Page, requestUrl: URL): Headers {
  const links = linksOf(listing, page, requestUrl);
  const exposed = links.length > 0 ? "X-Total-Count, Link" : "X-Total-Count";
  return new Headers({
    "x-total-count": String(listing.total),
    "access-control-expose-headers": exposed,
    ...(listing.isExact === false ? { "x-total-count-exact": "false" } : {}),
    ...(links.length > 0 ? { link: links.join(",") } : {}),
  });
}

function linksOf(listing: Listing<unknown>, page: Page, requestUrl: URL): string[] {
  const { next } = listing;
  if (next !== undefined) return [`<${withPage(requestUrl, next.page, next.limit)}>; rel="next"`];
  if (!page.isAsked && listing.items.length >= listing.total) return [];
  const last = Math.max(1, Math.ceil(listing.total / page.limit));
  const current = Math.min(page.page, last);
  const links: string[] = [];
  const add = (rel: string, to: number) => links.push(`<${withPage(requestUrl, to)}>; rel="${rel}"`);
  if (current < last) add("next", current + 1);
  if (current < last && listing.isExact !== false) add("last", last);
  if (current > 1) add("first", 1);
  if (current > 1) add("prev", current - 1);
  return links;
}

/**
 * How many of `sent` rows, behind `before` others, an answer may hold so that a page of a fitting size continues behind
 * them: as many as give the largest such page, and no fewer than half.
 */
export function cutAt(
  before: number,
  sent: number,
  largestLimit: number,
): { rows: number; next: PageRequest } {
  let best = { rows: sent, limit: 1 };
  for (let rows = sent; rows >= Math.max(1, Math.ceil(sent / 2)); rows -= 1) {
    let limit = Math.min(largestLimit, before + rows);
    while ((before + rows) % limit !== 0) limit -= 1;
    if (limit > best.limit) best = { rows, limit };
  }
  const { rows, limit } = best;
  return { rows, next: { page: (before + rows) / limit + 1, limit } };
}

const withPage = (requestUrl: URL, page: number, limit?: number): string =>
  linkWith(requestUrl, { page: String(page), ...(limit === undefined ? {} : { limit: String(limit) }) });

/** The address of a request with other parameters, without credentials. */
export function linkWith(requestUrl: URL, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(requestUrl);
  for (const secret of ["token", "access_token"]) url.searchParams.delete(secret);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  url.searchParams.sort();
  return url.href;
}
