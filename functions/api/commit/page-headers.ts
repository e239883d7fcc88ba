import type { Page } from "../../http/answer/paging.ts";

/** The headers that old clients read, beside `X-Total-Count` and `Link` (semantics §39.1). */
export function pageHeaders({ page, limit }: Page, total: number): Record<string, string> {
  const pages = Math.ceil(total / limit);
  const headers = {
    "X-Total": String(total),
    "X-PerPage": String(limit),
    "X-Page": String(page),
    "X-PageCount": String(pages),
    "X-HasMore": String(page < pages),
  };
  return { ...headers, "access-control-expose-headers": Object.keys(headers).join(", ") };
}
