import { defined } from "../defined.ts";
import type { Query, Table } from "../table.ts";
import type { Item } from "./write.ts";

/**
 * The items of a query that may take several requests, a request's worth at a time. Items may be large: once an answer
 * was cut, the next request asks for about as many, as some engines read all that is asked for before they cut it. So
 * does the first one with `first`.
 */
export async function* queryPages<T extends Item>(
  table: Pick<Table, "query">,
  asked: Query,
  first?: number,
): AsyncGenerator<readonly T[]> {
  let { after } = asked;
  let left = asked.limit ?? Number.POSITIVE_INFINITY;
  let size = first ?? Number.POSITIVE_INFINITY;
  do {
    const limit = Math.min(left, size);
    const page = await table.query<T>({
      ...asked,
      ...defined({ after, limit: Number.isFinite(limit) ? limit : undefined }),
    });
    yield page.items;
    left -= page.items.length;
    size = 2 * Math.max(1, page.items.length);
    after = page.next;
  } while (after !== undefined && left > 0);
}
